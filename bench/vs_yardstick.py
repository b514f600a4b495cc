"""Time `gops solve` against another solver of the same games, run in turn.

    python bench/vs_yardstick.py [DIRECTORY] [--cards 11 12] [--ties carry discard] [--repeat 5]

DIRECTORY, or else the environment variable GOPS_YARDSTICK, holds programs `plain-c-N` that solve
the game of N cards when called with `carry` or `discard`. Both use two threads. Prints the median
of the ratios of neighbouring runs: what gops takes of the other's time.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THREADS = 2


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", nargs="?", type=Path, help="where the programs are")
    parser.add_argument("--cards", nargs="+", type=int, default=[11, 12])
    parser.add_argument("--ties", nargs="+", default=["carry", "discard"])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each")
    options = parser.parse_args()
    directory = options.directory or os.environ.get("GOPS_YARDSTICK")
    if directory is None:
        sys.exit("vs_yardstick: give the directory of plain-c-N, or set GOPS_YARDSTICK")
    for cards in options.cards:
        program = Path(directory) / f"plain-c-{cards}"
        if not os.access(program, os.X_OK):
            sys.exit(f"vs_yardstick: {program}: no such program")
    print(f"{'cards':>5} {'tie':>8} {'yardstick':>10} {'gops':>8} {'ratio':>7}", flush=True)
    for cards in options.cards:
        for tie in options.ties:
            compare(Path(directory) / f"plain-c-{cards}", cards, tie, options.repeat)


def compare(program: Path, cards: int, tie: str, repeat: int) -> None:
    """Run both in turn, and print the medians."""
    theirs, ours, ratios = [], [], []
    for _ in range(repeat):
        theirs.append(seconds([str(program), tie]))
        with tempfile.TemporaryDirectory() as folder:
            words = ["--cards", str(cards), "--tie", tie, "--threads", str(THREADS)]
            line = [sys.executable, "-m", "gops.cli", "solve", *words, "--out", f"{folder}/table"]
            ours.append(seconds(line))
        ratios.append(ours[-1] / theirs[-1])
    medians = [statistics.median(times) for times in (theirs, ours, ratios)]
    print(f"{cards:5} {tie:>8} {medians[0]:9.2f}s {medians[1]:7.2f}s {medians[2]:7.3f}", flush=True)


def seconds(line: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
