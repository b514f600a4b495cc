"""Solving whole games into tables: what it will take, the work, and going on after a break."""

import fcntl
import json
import os
import resource
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gops import __version__, _lattice
from gops.analysis import available_memory, available_threads, size_text, span_text
from gops.errors import GopsError, RulesError, TableError, TooLargeError
from gops.induction import Induction, Problem, rough_effort
from gops.rules import Rules
from gops.tables import (
    MANIFEST,
    SCHEMA,
    UNFINISHED,
    Table,
    create_array,
    failure,
    full_game,
    game_text,
    induction_of,
    layer_file,
    layer_parts,
    let_go,
    map_array,
    read_sealed,
    rules_to_dict,
    seal,
    write_sealed,
)

__all__ = ["Forecast", "Progress", "forecast", "peak_memory", "solve"]

STORED_FROM = 8
"""Rounds to go of the lowest layer kept by default: what is below solves from nothing at once."""

_PROGRESS = "progress.json"
_OVERHEAD = 100_000_000  # bytes of the interpreter, the libraries and the scratch space
#: Cards of the game solved to estimate the time of larger ones, by whether the order is known.
_SAMPLE_CARDS = {False: 9, True: 12}


@dataclass(frozen=True)
class Forecast:
    """What a solve takes.

    Attributes
    ----------
    states, games : int
        Values to compute and matrix games to solve, exactly.
    memory : int
        Bytes held at the peak if layers stay in memory.
    least_memory : int
        Bytes without which it is hopeless.
    disk : int
        Bytes written that exist at the same time, at most.
    seconds : float
        Estimated from a smaller game solved just before.
    """

    states: int
    games: int
    memory: int
    least_memory: int
    disk: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.states:,} states, {self.games:,} matrix games, {size_text(self.memory)} of "
            f"memory, {size_text(self.disk)} of disk, about {span_text(self.seconds)}"
        )


@dataclass(frozen=True)
class Progress:
    """How far a solve has come.

    Attributes
    ----------
    rounds : int
        Rounds to go of the layer at work; at the start, of the last one that is finished.
    games : int
        Matrix games solved, earlier runs included.
    share : float
        Of the expected time, 0 to 1.
    forecast : Forecast
    """

    rounds: int
    games: int
    share: float
    forecast: Forecast


def solve(
    rules: Rules,
    objective: str = "points",
    *,
    out: str | os.PathLike[str],
    threads: int | None = None,
    layers: str = "top",
    dtype: str = "float64",
    memory: int | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Table:
    """Solve a whole game of two players and keep the solution as a table.

    The table is the same, byte for byte, for any number of threads and whether or not the solve
    was interrupted.

    Parameters
    ----------
    rules : Rules
        Two players, one card a bid; ties carried, discarded or (the same solution) split.
    objective : {"points"}
    out : path
        Directory for the table: new or empty, or with an unfinished solve to resume.
    threads : int, optional
        Default: as many as the machine offers.
    layers : {"top", "all"}
        Keep the layers near the full hand, from which every position can be answered at once, or
        all of them.
    dtype : {"float64", "float32"}
        How values are stored; they are computed in double precision.
    memory : int, optional
        Bytes to get by with. Layers that do not fit are left to the disk, which is slower.
    resume : bool
        Go on with the unfinished solve in `out`, if there is one; at most the layer that was at
        work is lost.
    progress : callable, optional
        Called at the start and a few times a second.

    Returns
    -------
    Table

    Raises
    ------
    RulesError
        If there is no exact method for the rules.
    TooLargeError
        If memory or disk will not do; the message gives the figures.
    TableError
        If the directory is taken, locked by another solve, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = solve(Rules(cards=5, tie="discard"), out=f"{folder}/five")
    ...     table.rounds, table.value
    ((4, 5), 0.0)
    """
    _check(rules, objective, layers, dtype)
    threads = available_threads() if threads is None else threads
    if threads < 1:
        raise GopsError(f"threads={threads}: expected 1 or more")
    folder = Path(out)
    if memory is not None and memory < 1:
        raise GopsError(f"memory={memory}: expected a number of bytes")
    bound = available_memory() if memory is None else memory
    _refuse_hopeless(rules, full_game(rules), bound)
    with _locked(folder), _told(folder):
        run = _Run(rules, objective, folder, threads, layers, dtype, bound)
        if not run.is_finished(resume):
            run.solve(resume, progress)
    return Table.open(folder)


def forecast(
    rules: Rules, *, threads: int | None = None, layers: str = "top", dtype: str = "float64"
) -> Forecast:
    """Tell what `solve` would take, after a short calibration, without starting it.

    Raises
    ------
    RulesError, TooLargeError
        As `solve` does.

    Examples
    --------
    >>> forecast(Rules(cards=8)).games
    328464
    """
    _check(rules, "points", layers, dtype)
    problem = full_game(rules)
    _refuse_hopeless(rules, problem, available_memory())
    induction = induction_of(problem)
    stored = _stored(problem.rounds, layers)
    return _forecast(induction, stored, dtype, threads or available_threads())


def peak_memory() -> int:
    """Return the most bytes of memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _check(rules: Rules, objective: str, layers: str, dtype: str) -> None:
    if objective != "points":
        raise GopsError(f"objective {objective!r}: whole games are solved for points only")
    if layers not in ("top", "all"):
        raise GopsError(f"layers={layers!r}: expected top or all")
    if dtype not in ("float64", "float32"):
        raise GopsError(f"dtype={dtype!r}: expected float64 or float32")
    if rules.players != 2:
        raise RulesError(f"players={rules.players}: only games of 2 players are solved exactly")
    unsuited = {"bids": 1, "lot": 1, "open": 0, "hidden": False, "misere": False}
    for name, suited in {**unsuited, "early_stop": "none", "game": "gops"}.items():
        value = getattr(rules, name)
        if value != suited:
            raise RulesError(
                f"{name}={value}: such games are not solved exactly; it must be {suited}"
            )


def _stored(rounds: int, layers: str) -> range:
    lowest = 1 if layers == "all" else max(1, min(STORED_FROM, rounds - 1))
    return range(lowest, rounds + 1)


def _refuse_hopeless(rules: Rules, problem: Problem, bound: int) -> None:
    """Refuse what is far too large before even its size is worked out exactly."""
    effort = rough_effort(problem)
    if effort.memory > 3 * max(bound, 1_000_000_000):
        raise TooLargeError(
            f"{game_text(rules)}: about {effort.states:.1e} states, {effort.games:.1e} matrix "
            f"games and {size_text(effort.memory)} of memory; {size_text(bound)} may be used"
        )


def _forecast(induction: Induction, stored: range, dtype: str, threads: int) -> Forecast:
    rounds = induction.problem.rounds
    sizes = [induction.layer_size(layer) for layer in range(rounds + 1)]
    width = np.dtype(dtype).itemsize
    kept = disk = 0
    for layer in range(1, rounds + 1):
        if layer in stored:
            kept += width * sizes[layer]
        working = [at for at in (layer - 1, layer) if at not in stored or width != 8]
        disk = max(disk, kept + sum(8 * sizes[at] for at in working))
    effort = induction.effort
    return Forecast(
        effort.states,
        effort.games,
        _OVERHEAD + effort.memory,
        _OVERHEAD + 8 * max(sizes[:-1]),
        disk + (1 << 20),
        _seconds(induction, threads),
    )


def _seconds(induction: Induction, threads: int) -> float:
    """Estimate the time of a whole game from one small enough to be solved at once."""
    known = induction.problem.order_known
    cards = _SAMPLE_CARDS[known]
    problem = Problem(
        word=_lattice.word_of(range(cards), range(cards)),
        cards=cards,
        prizes=tuple(range(1, cards + 1)),
        order_known=known,
        rounds=cards,
        carry=induction.problem.carry,
        win=False,
    )
    sample = induction_of(problem)
    if induction.work < 10 * sample.work:  # over before an estimate would be of use
        return (5e-6 if known else 1e-7) * induction.effort.games / threads
    started = time.perf_counter()
    for _ in sample.layers(threads):
        pass
    return (time.perf_counter() - started) * induction.work / sample.work


class _Run:
    """One solve into one directory."""

    def __init__(
        self,
        rules: Rules,
        objective: str,
        folder: Path,
        threads: int,
        layers: str,
        dtype: str,
        bound: int,
    ) -> None:
        self.folder = folder
        self.work = folder / UNFINISHED
        self.threads = threads
        self.bound = bound
        self.dtype = dtype
        self.problem = full_game(rules)
        self.rules = rules
        self.stored = _stored(self.problem.rounds, layers)
        self.identity: dict[str, Any] = {
            "schema": SCHEMA,
            "made_by": f"gops {__version__}, {_lattice.kernels()[-1]} kernel",
            "rules": _plain(rules_to_dict(rules)),
            "objective": objective,
            "dtype": dtype,
            "stored": [self.stored.start, self.stored.stop - 1],
        }

    def is_finished(self, resume: bool) -> bool:
        """Whether the table is there already; refuse a directory that is taken otherwise."""
        if (self.folder / MANIFEST).exists():
            if not resume:
                raise TableError(f"{self.folder}: there is a table already")
            self._check_identity(read_sealed(self.folder / MANIFEST))
            shutil.rmtree(self.work, ignore_errors=True)
            return True
        if (self.work / _PROGRESS).exists():
            if not resume:
                raise TableError(
                    f"{self.folder}: an unfinished solve is there; resume it (--resume) or remove "
                    "the directory"
                )
        else:
            strange = [name for name in os.listdir(self.folder) if name != UNFINISHED]
            if strange:
                raise TableError(f"{self.folder}: not empty, and no table: {min(strange)}")
        return False

    def _check_identity(self, found: dict[str, Any]) -> None:
        for key, value in self.identity.items():
            if found.get(key) != value:
                raise TableError(
                    f"{self.folder}: another solve is there: {key.replace('_', ' ')} "
                    f"{found.get(key)}, not {value}"
                )

    def solve(self, resume: bool, progress: Callable[[Progress], None] | None) -> None:
        """Solve, from the last finished layer if there is one, and put the table in place."""
        self.induction = induction_of(self.problem)
        self.forecast = _forecast(self.induction, self.stored, self.dtype, self.threads)
        self._refuse_if_too_large()
        self.progress = progress
        self.mapped: dict[int, NDArray[np.float64]] = {}
        self._start()
        self._tell(self.done, 1.0)
        steps = self.induction.layers(
            self.threads,
            resume=self._resumed(),
            allocate=self._allocate,
            progress=self._tell,
        )
        for rounds, layer in steps:
            if rounds:
                self._keep(rounds, layer)
                self._tell(rounds, 1.0)
        self._finish()

    def _refuse_if_too_large(self) -> None:
        plan = self.forecast
        what = f"{game_text(self.rules)}: {plan}"
        if plan.least_memory > self.bound:
            raise TooLargeError(
                f"{what}; at least {size_text(plan.least_memory)} of memory is needed, "
                f"{size_text(self.bound)} may be used"
            )
        free = shutil.disk_usage(self.folder).free
        free += sum(entry.stat().st_size for entry in self._leftovers())
        if plan.disk > free:
            raise TooLargeError(f"{what}; {size_text(free)} are free on the disk of {self.folder}")

    def _leftovers(self) -> Iterator[Path]:
        if self.work.is_dir():
            yield from self.work.iterdir()

    def _start(self) -> None:
        """Read how far an earlier run came, and remove what it did not finish."""
        self.record: dict[str, Any] = {**self.identity, "worst_gap": 0.0, "layers": []}
        self.done = 0
        self.work.mkdir(exist_ok=True)
        if (self.work / _PROGRESS).exists():
            self.record = read_sealed(self.work / _PROGRESS)
            self._check_identity(self.record)
            self.done = self.record["done"]["rounds"]
        else:
            self._record(0)
        for path in self._leftovers():
            if path.name not in self._wanted():
                path.unlink()

    def _wanted(self) -> set[str]:
        """Names of the files that count."""
        names = {
            layer_file(entry["rounds"], part)
            for entry in self.record["layers"]
            for part in entry["files"]
        }
        return names | {self._working_file(self.done), _PROGRESS}

    def _working_file(self, rounds: int) -> str:
        """Name the file with the double precision values of a layer."""
        if self.dtype == "float64" and rounds in self.stored:
            return layer_file(rounds, "values")
        return f"working-{rounds:02}.npy"

    def _record(self, rounds: int, check: dict[str, Any] | None = None) -> None:
        self.record["done"] = {"rounds": rounds, "values": check}
        write_sealed(self.work / _PROGRESS, self.record)
        self.done = rounds

    def _resumed(self) -> "tuple[int, _lattice.Layer] | None":
        if self.done == 0:
            return None
        path = self._place(self._working_file(self.done))
        if seal(path, self.threads) != self.record["done"]["values"]:
            raise TableError(f"{path}: damaged; remove {self.folder} and solve anew")
        values = map_array(path, writable=True)
        self.mapped = {self.done: values}
        return self.done, self.induction.make_layer(self.done, values)

    def _place(self, name: str) -> Path:
        """Where a file is: in the working folder, or moved out of it already."""
        path = self.work / name
        return path if path.exists() or self.done < self.problem.rounds else self.folder / name

    def _allocate(self, rounds: int, size: int) -> NDArray[np.float64]:
        values = create_array(self.work / self._working_file(rounds), np.float64, (size,))
        self.mapped = {at: held for at, held in self.mapped.items() if at == rounds - 1}
        self.mapped[rounds] = values
        return values

    def _keep(self, rounds: int, layer: _lattice.Layer) -> None:
        """Put a finished layer on record; only then is the one before let go."""
        working = self.work / self._working_file(rounds)
        check = seal(working, self.threads)
        self.record["worst_gap"] = max(self.record["worst_gap"], self.induction.effort.worst)
        if rounds in self.stored:
            parts = layer_parts(self.induction, rounds)
            if self.dtype != "float64":
                parts["values"] = layer.values.astype(self.dtype)
            files = {}
            for part, data in parts.items():
                path = self.work / layer_file(rounds, part)
                create_array(path, data.dtype, data.shape)[...] = data
                files[part] = seal(path, self.threads)
            self.record["layers"].append(
                {
                    "rounds": rounds,
                    "hands": len(layer.words),
                    "states": len(parts["states"]),
                    "values": len(layer.values),
                    "files": {"values": check, **files},
                }
            )
            if rounds == self.problem.rounds:
                self.record["value"] = self._value_of(layer)
        before = self._working_file(self.done)
        self._record(rounds, check)
        if before not in self._wanted():
            (self.work / before).unlink(missing_ok=True)

    def _value_of(self, layer: _lattice.Layer) -> float:
        row, swapped = layer.row(self.problem.word)
        return -float(row[0]) if swapped else float(row[0])

    def _tell(self, rounds: int, share: float) -> None:
        if 8 * sum(map(len, self.mapped.values())) + _OVERHEAD > self.bound:
            for values in self.mapped.values():
                let_go(values)
        if self.progress is None:
            return
        games, done = self.induction.so_far(rounds, share)
        self.progress(Progress(rounds, games, done, self.forecast))

    def _finish(self) -> None:
        """Move the files into place and, last of all, put the manifest there."""
        for name in sorted(self._wanted() - {_PROGRESS}):
            if (self.work / name).exists() and name.startswith("layer-"):
                (self.work / name).replace(self.folder / name)
        manifest = {key: value for key, value in self.record.items() if key != "done"}
        manifest |= {
            "states": self.induction.effort.states,
            "games": self.induction.effort.games,
        }
        write_sealed(self.folder / MANIFEST, manifest)
        shutil.rmtree(self.work)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Turn tuples into lists, as JSON does."""
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep every other solve out of a directory, made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise failure(folder, error) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise TableError(f"{folder}: another solve is at work there") from None
    finally:
        os.close(handle)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turn what the disk complains about into one line that names it."""
    try:
        yield
    except TableError:
        raise
    except OSError as error:
        if not folder.is_dir():
            raise TableError(f"{folder}: the directory has vanished") from None
        raise failure(Path(error.filename or folder), error) from None
