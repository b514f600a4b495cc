"""A progress bar on a terminal, and nothing anywhere else."""

import sys
import time
from types import TracebackType
from typing import Self

WIDTH = 24
EVERY = 0.2
"""Seconds between two drawings."""


class Bar:
    """One line on standard error that is drawn again and again; a context manager.

    Parameters
    ----------
    quiet
        Draw nothing even on a terminal.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = sys.stderr.isatty() and not quiet
        self._started = self._drawn = time.monotonic()
        self._first: tuple[float, float] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def update(self, share: float, count: float, unit: str, remark: str = "") -> None:
        """Draw how far the work has come.

        Parameters
        ----------
        share
            Of the work, 0 to 1.
        count, unit
            What has been done so far, for the rate.
        remark
            What is at work.
        """
        now = time.monotonic()
        if self._first is None:  # what an earlier run did is no part of the rate
            self._started, self._first = now, (share, count)
        if not self._shown or now - self._drawn < EVERY:
            return
        self._drawn = now
        elapsed = max(now - self._started, 1e-9)
        done = share - self._first[0]
        rate = (count - self._first[1]) / elapsed
        left = clock(elapsed * (1 - share) / done) if done > 0 else "?"
        filled = round(share * WIDTH)
        bar = "#" * filled + "-" * (WIDTH - filled)
        text = f"[{bar}] {share:4.0%}  {rate / 1e6:.1f} million {unit}/s  {left} left  {remark}"
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()


def clock(seconds: float) -> str:
    """Write a time span as a clock would: ``1:05`` or ``2:00:09``.

    Examples
    --------
    >>> clock(65), clock(7209)
    ('1:05', '2:00:09')
    """
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
