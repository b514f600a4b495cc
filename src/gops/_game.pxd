cdef class Game:
    pass
