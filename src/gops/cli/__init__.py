"""The command ``gops``: parses, calls the library, prints; nothing heavy is imported to start."""

import os
import sys
from collections.abc import Sequence

from gops.errors import GopsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Parameters
    ----------
    arguments
        The words after ``gops``; those of the process when left out.

    Returns
    -------
    int
        0 done, 1 an error of ours, 2 usage, 3 a check that failed, 130 interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = _run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone: say nothing, and keep the interpreter from flushing once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(words: list[str]) -> int:
    if words == ["--version"]:  # answered before anything else is imported
        from gops import __version__

        print(f"gops {__version__}")
        return 0
    from gops.cli.app import app
    from gops.cli.sink import complain

    try:
        app(words, prog_name="gops")
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BrokenPipeError:
        raise
    except GopsError as error:
        complain(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        complain(f"{where}{error.strerror or error}")
    except MemoryError:
        complain("out of memory")
    return 1
