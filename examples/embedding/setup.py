"""Build with ``python setup.py build_ext --inplace``; needs gops, Cython and a C compiler."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import gops

setup(
    name="deals",
    ext_modules=cythonize(
        [Extension("deals", ["deals.pyx"], extra_compile_args=["-O2"])],
        include_path=[str(Path(gops.__file__).parents[1])],
    ),
)
