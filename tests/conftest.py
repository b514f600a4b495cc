"""Shared settings and strategies of the tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("GOPS_EXAMPLES", "150")),
)
settings.load_profile("default")


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the long versions of the tests")


@pytest.fixture
def slow(request):
    """Whether the long version of a test is asked for."""
    return request.config.getoption("--slow")
