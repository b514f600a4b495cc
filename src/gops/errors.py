"""The errors that gops raises on purpose; each also inherits the fitting builtin."""

__all__ = [
    "GopsError",
    "IllegalBidError",
    "MissingExtraError",
    "NotationError",
    "PositionError",
    "RulesError",
    "TableError",
    "TooLargeError",
]


class GopsError(Exception):
    """Base of every error that gops raises on purpose."""


class NotationError(GopsError, ValueError):
    """A text that does not follow the notation; the message names field and offset."""


class PositionError(GopsError, ValueError):
    """A well-formed position that cannot exist under its rules."""


class IllegalBidError(GopsError, ValueError):
    """A bid, pick or reveal that the rules do not allow here."""


class RulesError(GopsError, ValueError):
    """A rule value that is unknown, or rules that contradict each other."""


class TableError(GopsError, OSError):
    """A solution table that is missing, damaged, foreign or cannot be written."""


class MissingExtraError(GopsError, ImportError):
    """An optional dependency that is not installed; the message names the command that mends it."""


class TooLargeError(GopsError, RuntimeError):
    """A computation refused before it starts; the message gives the estimate."""
