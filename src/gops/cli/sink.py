"""Where everything that a command prints goes: data to standard output, talk to standard error."""

import json
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

LONGEST_COMPLAINT = 1000


def complain(message: str) -> None:
    """Print one line ``gops: message`` on standard error, whatever characters it holds."""
    line = "".join(
        char if char.isprintable() else ascii(char)[1:-1] for char in message[:LONGEST_COMPLAINT]
    )
    ellipsis = "..." if len(message) > LONGEST_COMPLAINT else ""
    print(f"gops: {line}{ellipsis}", file=sys.stderr, flush=True)


class Sink:
    """The output of one command; a context manager.

    Parameters
    ----------
    output
        A file for the data in place of standard output: written beside it, and renamed when the
        command is through, so that it is there whole or not at all.
    json
        The data are JSON documents; `text` then prints nothing.
    quiet
        Drop what `say` is given. Errors are printed all the same.
    """

    def __init__(
        self, output: Path | None = None, *, json: bool = False, quiet: bool = False
    ) -> None:
        self.json = json
        self.quiet = quiet
        self._output = output
        self._stream: TextIO = sys.stdout
        self._first = True
        self.failed = False

    def __enter__(self) -> Self:
        if self._output is not None:
            self._beside = self._output.with_name(f".{self._output.name}.{os.getpid()}")
            try:
                if self._output.is_dir():
                    raise IsADirectoryError(21, "Is a directory")
                self._stream = open(self._beside, "w", encoding="utf-8")
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self._output)) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._output is None:
            return
        self._stream.close()
        nothing_but_errors = self.failed and self._first
        if kind is None and not nothing_but_errors:
            self._beside.replace(self._output)
        else:
            self._beside.unlink()

    @property
    def unicode(self) -> bool:
        """Whether the output can hold block characters and suits."""
        try:
            "█▏♠′".encode(self._stream.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def text(self, text: str) -> None:
        """Print a block of text for people; blocks are parted by an empty line."""
        if not self.json:
            self._write(text if self._first else f"\n{text}")

    def line(self, text: str) -> None:
        """Print text for people, right below what was printed before."""
        self._write(text)

    def prompt(self, text: str) -> None:
        """Print text for people and stay on its line."""
        self._write(text, end="")

    def document(self, document: dict[str, Any]) -> None:
        """Print one JSON document on a line of its own; nothing unless in JSON mode."""
        if self.json:
            self._write(json.dumps(document, allow_nan=False))

    def _write(self, text: str, end: str = "\n") -> None:
        self._first = False
        encoding = self._stream.encoding or "utf-8"
        print(
            text.encode(encoding, "replace").decode(encoding),
            file=self._stream,
            end=end,
            flush=True,
        )

    def say(self, message: str) -> None:
        """Print a remark or progress on standard error."""
        if not self.quiet:
            print(message, file=sys.stderr, flush=True)

    def error(self, message: str) -> None:
        """Print an error as one line on standard error, and remember that there was one."""
        self.failed = True
        complain(message)
