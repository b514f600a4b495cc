"""Pictures, for which matplotlib must be installed: ``pip install 'goofspiel[plot]'``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gops.errors import GopsError, MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["check_plot", "heat_map", "save"]


def check_plot(path: str | os.PathLike[str] | None = None) -> None:
    """Refuse early what could not be drawn later.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    GopsError
        If the name of the file does not end in a kind of picture.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ImportError:
        raise MissingExtraError("pictures need matplotlib: pip install 'goofspiel[plot]'") from None
    if path is not None:
        kinds = FigureCanvasAgg.get_supported_filetypes()
        kind = Path(path).suffix.removeprefix(".").lower()
        if kind not in kinds:
            raise GopsError(f"{path}: expected a file name ending in .png, .svg or .pdf")


def heat_map(
    shares: "NDArray[Any]",
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_name: str,
    column_name: str,
) -> "Figure":
    """Draw probabilities as a grid of colours that the colour-blind can tell apart.

    Parameters
    ----------
    shares : float64[rows, columns]
        Probabilities; the first row is drawn lowest. NaN leaves a cell blank.
    rows, columns : sequence of str
        Names of the rows and columns.
    title, row_name, column_name : str
    """
    check_plot()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height, width = shares.shape
    figure = Figure(figsize=(2.4 + 0.48 * width, 1.6 + 0.42 * height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    most = max(float(shares[shares == shares].max(initial=0.0)), 0.01)
    image = axes.imshow(shares, cmap="cividis", vmin=0, vmax=most, origin="lower", aspect="auto")
    axes.set_xticks(range(width), columns)
    axes.set_yticks(range(height), rows)
    axes.set_xlabel(column_name)
    axes.set_ylabel(row_name)
    axes.set_title(title, fontsize="medium")
    for row, column in zip(*(shares >= 0.005).nonzero(), strict=True):
        share = shares[row, column]
        axes.text(
            column,
            row,
            f"{share:.0%}",
            ha="center",
            va="center",
            fontsize=7,
            color="black" if share > most / 2 else "white",
        )
    figure.colorbar(image, ax=axes, label="probability", format="{x:.0%}")
    return figure


def save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Write a picture beside its place and rename it, so that it is there whole or not at all."""
    check_plot(path)
    from matplotlib import rc_context

    place = Path(path)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        # No date or random name in the file: the same picture is the same bytes.
        kind = place.suffix.removeprefix(".").lower()
        dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        with rc_context({"svg.hashsalt": "gops"}):
            figure.savefig(beside, format=kind, dpi=150, metadata=dates.get(kind))
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)
