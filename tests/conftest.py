"""Shared settings and strategies of the tests."""

import os
import signal

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

# A shell without job control starts background jobs deaf to interrupts, and so would be the
# programs that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the long versions of the tests")


@pytest.fixture
def slow(request):
    """Whether the long version of a test is asked for."""
    return request.config.getoption("--slow")
