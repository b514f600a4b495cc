from gops._core cimport State

cdef int state_of(object position, State *s) except -1
