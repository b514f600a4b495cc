"""The compiled extensions; everything else about the project is in pyproject.toml.

Set ``GOPS_DEBUG=1`` to build with bounds checks in the kernels and debug symbols.
"""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("GOPS_DEBUG", "") not in ("", "0")

FLAGS = ["-O0", "-g"] if DEBUG else ["-O3", "-fno-math-errno", "-Wno-psabi"]
EXTRA_SOURCES = {"_lattice": ["src/gops/_lanes.c"]}
HEADERS = {"_lattice": ["src/gops/_lanes.h", "src/gops/_lanes_body.h"]}

setup(
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=cythonize(
        [
            Extension(
                f"gops.{path.stem}",
                [str(path), *EXTRA_SOURCES.get(path.stem, [])],
                depends=HEADERS.get(path.stem, []),
                include_dirs=["src/gops", numpy.get_include()],
                extra_compile_args=FLAGS,
            )
            for path in sorted(Path("src/gops").glob("_*.pyx"))
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": not DEBUG,
            "binding": True,
        },
    ),
)
