"""The functions of this module are for Cython; see ``_core.pxd``."""
