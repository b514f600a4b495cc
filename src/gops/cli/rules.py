"""``gops rules``: which games there are, and how each is played."""

import sys
from typing import Annotated

import typer

from gops.cli.options import Json, Output, Quiet
from gops.cli.parts import Parts, by_part, make_rules
from gops.cli.sink import Sink


@by_part
def rules(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A preset to explain.", show_default=False),
    ] = None,
    *,
    parts: Parts,
    json: Json = False,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """List the presets of the rules, or explain one of them in a screenful.

    Parts of it may be changed; parts alone change the classic game.
    """
    from dataclasses import asdict

    from gops.display import rules_text, table
    from gops.rules import Rules

    with Sink(output, json=json, quiet=quiet) as sink:
        if name is None and not parts:
            presets = dict(Rules.presets())
            sink.document({"schema": "gops.presets/1", "presets": presets})
            sink.text(table(list(presets.items()), align="ll"))
            if sys.stdout.isatty():
                sink.say("`gops rules NAME` explains one of them.")
        else:
            name = name or "classic"
            chosen = make_rules(name, parts)
            sink.document({"schema": "gops.rules/1", "name": name, "rules": asdict(chosen)})
            sink.text(rules_text(name, chosen))
