"""``gops verify``: the proof of a table."""

from pathlib import Path
from typing import Annotated

import typer

from gops.cli.options import Json, Output, Quiet, Threads
from gops.cli.progress import Bar
from gops.cli.sink import Sink


def verify(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A table.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Only compare the files with their checksums.")
    ] = False,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            min=0,
            metavar="POINTS",
            help="Most that a best reply may gain; 1e-9 if left out, 1e-4 in single precision.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    threads: Threads = None,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Prove a table: its own mixes against a best reply in every position of the game.

    Prints the exact exploitability in points. The exit status is 3 if it is above the tolerance.
    """
    from gops.tables import Table, game_text

    with Sink(output, json=json, quiet=quiet) as sink:
        table = Table.open(directory)
        with Bar(quiet=quiet) as bar:
            result = table.verify(
                quick=quick,
                threads=threads,
                progress=lambda share, games: bar.update(share, games, "games"),
            )
        bound = table.tolerance if tolerance is None else tolerance
        passed = result.exploitability is None or result.exploitability <= bound
        sink.document(
            {
                "schema": "gops.verify/1",
                "table": str(directory),
                "rules": table.manifest["rules"],
                "files": result.files,
                "bytes": result.bytes,
                "exploitability": result.exploitability,
                "tolerance": None if quick else bound,
                "passed": passed,
                "seconds": result.seconds,
            }
        )
        lines = [
            f"{directory}: {game_text(table.rules)}",
            f"{result.files} files, {result.bytes:,} bytes, every checksum right",
        ]
        if result.exploitability is not None:
            lines.append(
                f"exploitability {result.exploitability:.3g} points "
                f"({'within' if passed else 'above'} {bound:.3g})"
            )
        sink.text("\n".join(lines))
    if not passed:
        raise typer.Exit(3)
