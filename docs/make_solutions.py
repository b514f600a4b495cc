"""Solve whole games and publish their first bids in docs/solutions and docs/solutions.md.

python docs/make_solutions.py                    2 to 10 cards, both tie rules
python docs/make_solutions.py --cards 13 --verify
python docs/make_solutions.py --page-only        only write the page and pictures again
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gops import Table

DOCS = Path(__file__).parent
SOLUTIONS = DOCS / "solutions"
PAGE = DOCS / "solutions.md"
TIES = ("carry", "discard")
DIGITS = 9


def main() -> None:
    """Read the command line and do what it asks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cards", default="2-10", metavar="N[-M]", help="hand sizes to solve")
    parser.add_argument("--ties", choices=TIES, nargs="+", default=TIES, help="rules to solve")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--verify", action="store_true", help="verify too, and record the run")
    parser.add_argument("--tables", type=Path, help="keep the tables in this directory")
    parser.add_argument("--page-only", action="store_true", help="solve nothing")
    options = parser.parse_args()
    SOLUTIONS.mkdir(exist_ok=True)
    if not options.page_only:
        first, _, last = options.cards.partition("-")
        for cards in range(int(first), int(last or first) + 1):
            for tie in options.ties:
                publish(cards, tie, options)
    write_page()


def publish(cards: int, tie: str, options: argparse.Namespace) -> None:
    """Solve one game and write its first bids."""
    with tempfile.TemporaryDirectory(dir=options.tables) as scratch:
        folder = (options.tables or Path(scratch)) / f"{cards:02}-{tie}"
        words = ["--cards", str(cards), "--tie", tie, "--out", str(folder), "--resume"]
        run = gops("solve", *words, "--threads", str(options.threads))
        table = Table.open(folder)
        document: dict[str, Any] = {
            "schema": "gops.first-bids/1",
            "cards": cards,
            "tie": tie,
            "objective": "points",
            "states": run["states"],
            "games": run["games"],
            "worst_gap": run["worst_gap"],
            "upcards": {
                str(reveal.prize): {
                    "bids": rounded(reveal.analysis.bids[1]),
                    "loss": rounded(reveal.analysis.loss[1]),
                }
                for reveal in table.analyse(table.start).reveals
            },
        }
        if options.verify:
            proof = gops("verify", str(folder), "--threads", str(options.threads))
            document["run"] = {
                "machine": f"{platform.machine()}, {options.threads} threads",
                "seconds": round(run["seconds"], 1),
                "games_per_second": round(run["games_per_second"]),
                "peak_memory": run["peak_memory"],
                "table_bytes": proof["bytes"],
                "exploitability": proof["exploitability"],
                "verify_seconds": round(proof["seconds"], 1),
                "verify_threads": options.threads,
            }
    text = json.dumps(document, indent=1, allow_nan=False)
    (SOLUTIONS / f"{cards:02}-{tie}.json").write_text(f"{text}\n", encoding="ascii")


def gops(command: str, *words: str) -> dict[str, Any]:
    """Run a command in a process of its own, so that its memory is its own."""
    line = [sys.executable, "-m", "gops.cli", command, *words, "--json"]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def rounded(values: Any) -> dict[str, float]:
    """Name cards by text, as JSON does; cut the noise behind the last proven digit."""
    return {str(card): round(value, DIGITS) + 0.0 for card, value in values.items()}


def write_page() -> None:
    """Fill in the parts of the page that come from the largest solved games."""
    text = PAGE.read_text(encoding="utf-8")
    for tie in TIES:
        name = max(SOLUTIONS.glob(f"*-{tie}.json")).stem
        document = json.loads((SOLUTIONS / f"{name}.json").read_text(encoding="ascii"))
        draw(document, SOLUTIONS / f"{tie}.png")
        head, rest = text.split(f"<!-- begin: {tie} -->\n")
        _, tail = rest.split(f"<!-- end: {tie} -->")
        text = f"{head}<!-- begin: {tie} -->\n{section(document)}<!-- end: {tie} -->{tail}"
    PAGE.write_text(text, encoding="utf-8")


def section(document: dict[str, Any]) -> str:
    """Write what is known of one game: the run, the picture, and the first bids in percent."""
    cards, tie = document["cards"], document["tie"]
    bids = [str(card) for card in range(1, cards + 1)]
    lines = [
        f"{cards} cards: {document['states']:,} states, {document['games']:,} matrix games, "
        f"worst gap {document['worst_gap']:.1g} points.",
        "",
    ]
    if "run" in document:
        run = document["run"]
        lines += [
            f"Solved in {run['seconds']:,} s ({run['machine']}), "
            f"{run['games_per_second'] / 1e6:.1f} million games a second, peak memory "
            f"{run['peak_memory'] / 1e9:.2f} GB; the table has {run['table_bytes'] / 1e9:.2f} GB. "
            f"Verified in {run['verify_seconds']:,} s on {run['verify_threads']} thread"
            f"{'s' if run['verify_threads'] > 1 else ''}: exploitability "
            f"{run['exploitability']:.2g} points.",
            "",
        ]
    lines += [
        f"![First bids, upcard by bid](solutions/{tie}.png)",
        "",
        f"| upcard | {' | '.join(bids)} |",
        f"|---:{'|---:' * cards}|",
    ]
    for upcard, mix in document["upcards"].items():
        shares = (mix["bids"][card] for card in bids)
        cells = " | ".join(f"{share:.1%}" if share >= 0.0005 else "" for share in shares)
        lines.append(f"| {upcard} | {cells} |")
    return "\n".join(lines) + "\n"


def draw(document: dict[str, Any], path: Path) -> None:
    """Draw the first bids as a heat map."""
    import numpy as np

    from gops.plots import heat_map, save

    names = [str(card) for card in range(1, document["cards"] + 1)]
    mixes = document["upcards"]
    carried = "carried" if document["tie"] == "carry" else "discarded"
    figure = heat_map(
        np.array([[mix["bids"][card] for card in names] for mix in mixes.values()]),
        list(mixes),
        names,
        title=f"Equilibrium first bids, {document['cards']} cards, ties {carried}",
        row_name="upcard",
        column_name="bid",
    )
    save(figure, path)


if __name__ == "__main__":
    main()
