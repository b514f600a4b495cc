"""Lets ``python -m gops.cli`` stand in for ``gops``."""

import sys

from gops.cli import main

sys.exit(main())
