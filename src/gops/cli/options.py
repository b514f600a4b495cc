"""Options that mean the same in every command, and how input is read."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no remarks on standard error.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the result to FILE, whole or not at all."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", min=0, metavar="N", help="Same seed, same chance.", show_default=False),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="Threads to use; all cores if left out.",
        show_default=False,
    ),
]


class Tie(StrEnum):
    """What happens to the prize when the highest bids are level."""

    CARRY = "carry"
    DISCARD = "discard"
    SPLIT = "split"
    UNIQUE = "unique"


LONGEST_LINE = 1 << 16


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, str | None]]:
    """Read lines of text, whatever the bytes.

    Yields
    ------
    tuple
        The number of the line, from 1, and its text without the ends; `None` in place of a line
        of more than 65,536 bytes, which is skipped without being held in memory.
    """
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        whole = len(line) < LONGEST_LINE
        while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE)
        yield number, line.decode(errors="replace").strip() if whole else None
