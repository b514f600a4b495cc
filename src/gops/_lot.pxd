from gops._core cimport State

cdef int state_of(object position, State *s) except -1
cdef int start_state(object rules, State *s) except -1
