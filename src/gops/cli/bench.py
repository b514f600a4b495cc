"""``gops bench``: how fast this build is on this machine, and whether it behaves as it did."""

from typing import Annotated

import typer

from gops.cli.options import Json, Output, Quiet, Threads
from gops.cli.sink import Sink


def bench(
    signature: Annotated[
        bool,
        typer.Option(
            "--signature", help="Print one integer that changes only when behaviour does."
        ),
    ] = False,
    json: Json = False,
    threads: Threads = None,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Run a fixed suite and print rates: stepping, playouts, perft, matrix games, exact solves."""
    from gops import benchmarks
    from gops.display import table

    with Sink(output, json=json, quiet=quiet) as sink:
        if signature:
            number = benchmarks.signature(threads)
            sink.document({"schema": "gops.signature/1", "signature": number})
            sink.text(str(number))
            return
        measurements = []
        for measurement in benchmarks.suite(threads):
            sink.say(f"measured {measurement.name}")
            measurements.append(measurement)
        sink.document(benchmarks.to_dict(measurements))
        sink.text(
            table(
                [(m.name, f"{m.rate:,.0f}", f"{m.unit}/s", m.what) for m in measurements],
                align="lrll",
            )
        )
