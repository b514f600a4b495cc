"""The compiled extensions; everything else about the project is in pyproject.toml.

Set ``GOPS_DEBUG=1`` to build with bounds checks in the kernels and debug symbols.
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("GOPS_DEBUG", "") not in ("", "0")


def extension(name: str, *c_sources: str) -> Extension:
    """Describe one Cython module of the package and the plain C files it links."""
    return Extension(
        f"gops.{name}",
        [f"src/gops/{name}.pyx", *(f"src/gops/{source}" for source in c_sources)],
        include_dirs=["src/gops"],
        extra_compile_args=["-O0", "-g"] if DEBUG else ["-O3", "-fno-math-errno"],
    )


setup(
    ext_modules=cythonize(
        [
            extension("_core"),
            extension("_matrix"),
            extension("_lattice"),
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": not DEBUG,
            "binding": True,
        },
    )
)
