"""The typer application: one command from each file beside this one."""

from typing import Annotated

import typer

from gops.cli import analyse, bench, play, rules, solve, verify

app = typer.Typer(
    name="gops",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help needs no rich, which would double the time to start
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from gops import __version__

        print(f"gops {__version__}")
        raise typer.Exit


@app.callback()
def _gops(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Goofspiel, the Game of Pure Strategy: play it, analyse it, measure it."""


app.command("analyse", short_help="Solve a position: its value and the best bids.")(analyse.analyse)
app.command("analyze", hidden=True)(analyse.analyse)
app.command("solve", short_help="Solve a whole game, and keep it as a table.")(solve.solve)
app.command("verify", short_help="Prove a table by best replies.")(verify.verify)
app.command("play", short_help="Play against the computer.")(play.play)
app.command("rules", short_help="Explain the ways the game is played.")(rules.rules)
app.command("bench", short_help="Measure speed on this machine.")(bench.bench)
