"""Shared settings and strategies of the tests."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("GOPS_EXAMPLES", "150")),
)
settings.load_profile("default")
