"""Solution tables: a solved game as a directory of plain arrays (docs/tables.md).

``manifest.json`` says what was solved and seals every other file with checksums of its blocks. Per
layer (all positions with the same number of rounds to go, before the next prize is turned) there
are four ``.npy`` files: the pairs of hands, the prize states, and the values of their pairs.
"""

import json
import math
import mmap
import os
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gops import _lattice
from gops.analysis import (
    Analysis,
    Root,
    analyse,
    available_memory,
    available_threads,
    check_analysable,
    finished,
    only_order_counts,
    size_text,
)
from gops.errors import PositionError, RulesError, TableError, TooLargeError
from gops.induction import Induction, Problem
from gops.position import Position
from gops.rules import Rules

__all__ = ["Table", "TableLayer", "Verification"]

SCHEMA = "gops.table/1"
MANIFEST = "manifest.json"
UNFINISHED = ".unfinished"
"""Folder inside a table's directory where a solve that is not through keeps its layers."""
BLOCK = 1 << 17
"""Bytes under one checksum."""
_CHECKED_AT_ONCE = 1 << 26  # bytes of whole files checked on opening, the smallest files first
_PARTS = ("values", "words", "offsets", "states")


class TableLayer(NamedTuple):
    """One stored layer: the positions with the same number of rounds to go.

    Attributes
    ----------
    values : float64[...] or float32[...]
        Expected margin still to come, player 1 minus player 2; row i is
        ``values[offsets[i]:offsets[i + 1]]``, one value for each of the first prize states.
    words : uint64[m]
        Pairs of hands, ascending: two bits a rank that either hand holds, lowest rank in the
        lowest bits, 1 for a card of player 1 only, 2 of player 2 only, 3 of both. Of a pair and
        its swap the smaller number is there; the swap is worth the negative.
    offsets : int64[m + 1]
    states : uint32[s, 2]
        The prizes face down (bit i for prize i of the pile, ascending; of equal prizes the first
        are the last to be turned; 0 if their order is known) and the points carried from ties.
    """

    values: NDArray[Any]
    words: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    states: NDArray[np.uint32]


@dataclass(frozen=True)
class Verification:
    """What a check of a table found.

    Attributes
    ----------
    files, bytes : int
        Files whose checksums were found right, the manifest included, and their size.
    exploitability : float or None
        Points that a best reply to the table's own mixes gains on average; None for a quick check.
    seconds : float
    """

    files: int
    bytes: int
    seconds: float
    exploitability: float | None = None


class _SealedFile:
    """A file whose blocks are checked against the manifest whenever they are read."""

    def __init__(self, path: Path, seal: dict[str, Any]) -> None:
        self.path = path
        self.bytes: int = seal["bytes"]
        self._checks = np.frombuffer(bytes.fromhex(seal["crc32"]), ">u4").tolist()
        if self.bytes < 0 or len(self._checks) != -(-self.bytes // BLOCK):
            raise ValueError("crc32")
        self.block = lru_cache(maxsize=512)(self._block)

    def check_size(self) -> None:
        """Refuse a file that is missing, cut or grown."""
        try:
            size = self.path.stat().st_size
        except OSError as error:
            raise failure(self.path, error) from None
        if size != self.bytes:
            raise TableError(f"{self.path}: {size} bytes, but the manifest says {self.bytes}")

    def _block(self, number: int) -> bytes:
        try:
            with open(self.path, "rb") as stream:
                stream.seek(number * BLOCK)
                data = stream.read(min(BLOCK, self.bytes - number * BLOCK))
        except OSError as error:
            raise failure(self.path, error) from None
        if zlib.crc32(data) != self._checks[number]:
            raise TableError(
                f"{self.path}: damaged between bytes {number * BLOCK} and "
                f"{number * BLOCK + len(data)}: the checksum is not that of the manifest"
            )
        return data

    def check(self, threads: int = 1) -> None:
        """Compare the whole file with its checksums."""
        self.check_size()
        for place, number in enumerate(_block_checks(self.path, self.bytes, threads)):
            if number != self._checks[place]:
                self._block(place)  # says what is wrong

    def array(self) -> NDArray[Any]:
        """Read the whole array, checked."""
        data = b"".join(self.block(number) for number in range(len(self._checks)))
        array: NDArray[Any] = np.lib.format.read_array(BytesIO(data), allow_pickle=False)
        return array

    def mapped(self) -> NDArray[Any]:
        """Map the array; changes to it stay in memory."""
        try:
            return map_array(self.path)
        except (OSError, ValueError) as error:
            raise failure(self.path, error) from None

    @cache  # noqa: B019 - lives as long as its table
    def _header(self) -> tuple[int, np.dtype[Any]]:
        stream = BytesIO(self.block(0))
        np.lib.format.read_magic(stream)
        _, _, dtype = np.lib.format.read_array_header_1_0(stream)
        return stream.tell(), dtype

    def item(self, index: int) -> float:
        """Read one number, checked."""
        start, dtype = self._header()
        number, offset = divmod(start + index * dtype.itemsize, BLOCK)
        return float(np.frombuffer(self.block(number), dtype, 1, offset)[0])


class _StoredLayer:
    """Looks values up in one layer without reading more of it than needed."""

    def __init__(self, folder: Path, entry: dict[str, Any]) -> None:
        self.rounds: int = entry["rounds"]
        self.files = {
            part: _SealedFile(folder / layer_file(self.rounds, part), entry["files"][part])
            for part in _PARTS
        }
        self.place = cache(self._place)

    @cache  # noqa: B019 - lives as long as its table
    def _index(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32]]:
        return tuple(self.files[part].array() for part in _PARTS[1:])  # type: ignore[return-value]

    def _place(self, mask: int, pot: int) -> int:
        states = self._index()[2]
        return int(np.flatnonzero((states[:, 0] == mask) & (states[:, 1] == pot))[0])

    def value(self, word: int, mask: int, pot: int) -> float:
        """Return the value of a position for player 1."""
        words, offsets, _ = self._index()
        least, swapped = _lattice.canonical(word)
        row = int(np.searchsorted(words, np.uint64(least)))
        place = int(offsets[row]) + self.place(mask, pot)
        if words[row] != least or place >= offsets[row + 1]:
            raise KeyError(word)
        value = self.files["values"].item(place)
        return -value if swapped else value


class Table:
    """A solved game, read from its directory.

    Opening reads the manifest and checks that every file is there in full; the smaller files are
    checked byte for byte, the larger ones block by block whenever they are looked at.

    Attributes
    ----------
    path : Path
    rules : Rules
        The game that was solved.
    objective : {"points"}
    value : float
        Value of the whole game for player 1, before the first prize is turned.
    worst_gap : float
        Largest gap left by any matrix game of the solve, in points.
    tolerance : float
        Exploitability, in points, that a sound table of this precision does not exceed.
    manifest : dict
        Everything that ``manifest.json`` says.

    Examples
    --------
    >>> import tempfile, gops
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = gops.solve(gops.Rules(cards=5), out=f"{folder}/five")
    ...     answer = table.analyse("1-5/1-5 5 1-4 0:0")
    >>> answer.method, abs(answer.value) < 1e-9
    ('table', True)
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.rules = Rules(**manifest["rules"])
        self.objective = str(manifest["objective"])
        self.value = float(manifest["value"])
        self.worst_gap = float(manifest["worst_gap"])
        self.tolerance = {"float64": 1e-9, "float32": 1e-4}[manifest["dtype"]]
        self._layers = {entry["rounds"]: _StoredLayer(path, entry) for entry in manifest["layers"]}
        self._problem = full_game(self.rules)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a table.

        Raises
        ------
        TableError
            If there is no table, or one of its files is missing, cut, altered or foreign; the
            message names the file.
        """
        folder = Path(path)
        manifest = read_sealed(folder / MANIFEST)
        if manifest.get("schema") != SCHEMA:
            raise TableError(
                f"{folder / MANIFEST}: format {manifest.get('schema')!r}, expected {SCHEMA!r}"
            )
        try:
            table = cls(folder, manifest)
        except (LookupError, TypeError, ValueError, RulesError) as error:
            raise TableError(f"{folder / MANIFEST}: not understood ({error!r})") from None
        unread = _CHECKED_AT_ONCE
        for file in sorted(table._files(), key=lambda file: file.bytes):
            unread -= file.bytes
            if unread < 0:
                file.check_size()
            else:
                file.check()
        return table

    def __repr__(self) -> str:
        return f"Table({str(self.path)!r}: {game_text(self.rules)}, {self.objective})"

    def _files(self) -> list[_SealedFile]:
        return [file for layer in self._layers.values() for file in layer.files.values()]

    @property
    def start(self) -> Position:
        """The position that the game starts from, before the first prize is turned."""
        rules = self.rules
        return Position.from_parts(
            rules.first_hands,
            pile=rules.first_pile,
            order_known=rules.order_known,
            rounds=rules.rounds,
            tie=rules.tie,
            fallback=rules.fallback,
        )

    @property
    def rounds(self) -> tuple[int, ...]:
        """The layers that are stored, by rounds to go, ascending."""
        return tuple(sorted(self._layers))

    def layer(self, rounds: int) -> TableLayer:
        """Map the arrays of a stored layer; they are not checked, see `verify`."""
        if rounds not in self._layers:
            stored = ", ".join(map(str, self.rounds))
            raise TableError(f"{self.path}: no layer of {rounds} rounds to go, only of {stored}")
        return TableLayer(*(self._layers[rounds].files[part].mapped() for part in _PARTS))

    def analyse(self, position: Position | str, *, threads: int | None = None) -> Analysis:
        """Look up a position of the table's game, at any round.

        What lies below the stored layers is solved from nothing, which takes a moment at most.

        Parameters
        ----------
        position : Position or str
        threads : int, optional

        Returns
        -------
        Analysis
            With ``method`` ``table``, or ``exact`` if it was solved.

        Raises
        ------
        PositionError
            If the position does not occur in the table's game; the message says why.
        TableError
            If what was read is damaged.
        """
        started = time.perf_counter()
        if isinstance(position, str):
            position = Position(position)
        self._check_belongs(position)
        if position.is_over:
            return finished(position, self.objective)
        layer = self._layers.get(position.rounds_left - 1)
        if layer is None:
            return analyse(position, self.objective, threads=threads)
        root = Root(position, self.objective)
        masks = cache(partial(self._mask, root.problem))

        def value(word: int, mask: int, pot: int, margin: int) -> float:
            return layer.value(word, masks(mask), pot)

        analysis = root.assemble(value)
        seconds = time.perf_counter() - started
        stats = {"states": 0, "games": len(root.nodes), "seconds": seconds}
        return replace(analysis, method="table", stats=stats)

    def _mask(self, problem: Problem, mask: int) -> int:
        """Turn a mask over the prizes of a position into one over those of the whole game."""
        if self._problem.order_known:
            return 0
        left = Counter(prize for bit, prize in enumerate(problem.prizes) if mask >> bit & 1)
        whole = 0
        for bit, prize in enumerate(self._problem.prizes):
            if left[prize]:
                left[prize] -= 1
                whole |= 1 << bit
        return whole

    def _check_belongs(self, position: Position) -> None:
        check_analysable(position)
        reason = _stranger(self.rules, position)
        if reason:
            raise PositionError(
                f"{position}: does not occur in the game of the table {self.path} "
                f"({game_text(self.rules)}): {reason}"
            )

    def verify(
        self,
        *,
        quick: bool = False,
        threads: int | None = None,
        progress: Callable[[float, int], None] | None = None,
    ) -> Verification:
        """Check every file of the table against its checksums, then every position by play.

        The mixes that follow from the stored values are played against a best reply, in every
        position of the game; layers that are not stored are solved again.

        Parameters
        ----------
        quick : bool
            Only compare checksums.
        threads : int, optional
        progress : callable, optional
            ``progress(share, games)`` is called a few times a second.

        Raises
        ------
        TableError
            If a file is damaged, or does not belong to the table.
        """
        started = time.perf_counter()
        files = self._files()
        known = {file.path.name for file in files} | {MANIFEST}
        for name in sorted(os.listdir(self.path)):
            if name not in known and not name.startswith("."):
                raise TableError(f"{self.path / name}: does not belong to the table")
        threads = available_threads() if threads is None else threads
        for file in files:
            file.check(threads)
        size = sum(file.bytes for file in files) + (self.path / MANIFEST).stat().st_size
        exploitability = None if quick else self._exploitability(threads, progress)
        seconds = time.perf_counter() - started
        return Verification(len(files) + 1, size, seconds, exploitability)

    def _exploitability(self, threads: int, progress: Callable[[float, int], None] | None) -> float:
        """Points that the better of two best replies gains on the value of the game."""
        induction = induction_of(self._problem)
        needed, free = 3 * induction.effort.memory, available_memory()  # values and both replies
        if needed > free:
            raise TooLargeError(
                f"{self.path}: verifying takes {size_text(needed)} of memory, {size_text(free)} "
                "are free; --quick compares checksums only"
            )

        def stored(rounds: int) -> NDArray[Any] | None:
            if rounds not in self._layers:
                return None
            found = self.layer(rounds)
            for part, expected in layer_parts(induction, rounds).items():
                if not np.array_equal(getattr(found, part), expected):
                    path = self.path / layer_file(rounds, part)
                    raise TableError(f"{path}: not the {part} of this game")
            return found.values

        def tell(rounds: int, share: float) -> None:
            if progress is not None:
                games, done = induction.so_far(rounds, share)
                progress(done, games)

        [(_, layer)] = deque(induction.layers(threads, progress=tell, check=stored), maxlen=1)
        assert layer.high is not None
        assert layer.low is not None
        # The start is alone in the last layer.
        value, high, low = (float(part[0]) for part in (layer.values, layer.high, layer.low))
        return max(high - value, value - low, 0.0)


# -- the game of a table --------------------------------------------------------------------------


def full_game(rules: Rules) -> Problem:
    """Return what backward induction needs to know of the whole game."""
    return Problem(
        word=_lattice.word_of(*rules.first_hands),
        cards=rules.cards,
        prizes=rules.first_pile,
        order_known=rules.order_known,
        rounds=rules.rounds or rules.max_rounds,
        carry=carries(rules),
        win=False,
    )


def induction_of(problem: Problem) -> Induction:
    """Lay out the induction over a whole game."""
    mask = 0 if problem.order_known else (1 << len(problem.prizes)) - 1
    return Induction(problem, [(mask, 0, 0, 0)])


def carries(rules: Rules) -> bool:
    """Whether tied prizes stay for the next round."""
    return (rules.fallback if rules.tie == "unique" else rules.tie) == "carry"


def game_text(rules: Rules) -> str:
    """Say in a few words which game a table is of."""
    parts = [f"{rules.cards} cards"]
    if rules.hands is not None:
        parts.append("custom hands")
    elif rules.ace == "high":
        parts.append("ace high")
    if rules.prizes is not None:
        parts.append("custom prizes")
    if rules.order_known:
        parts.append("known order")
    if rules.rounds is not None:
        parts.append(f"{rules.rounds} rounds")
    return ", ".join([*parts, f"ties {'carried' if carries(rules) else 'discarded'}"])


def _stranger(rules: Rules, position: Position) -> str:
    """Say why a position cannot occur in a game; nothing if it can."""
    if not only_order_counts(position):
        return "its rules are others"
    if carries(position.rules) != carries(rules):
        return f"its ties are {'carried' if carries(position.rules) else 'discarded'}"
    hands, first = position.hands, rules.first_hands
    for player in (1, 2):
        strange = sorted(set(hands[player - 1]) - set(first[player - 1]))
        if strange:
            return f"player {player} never holds card {strange[0]}"
    played = rules.cards - len(hands[0])
    rounds = (rules.rounds or rules.max_rounds) - played
    if position.rounds_left != rounds:
        return f"{rounds} rounds are left there, not {position.rounds_left}"
    gone = played + position.turned
    carried = len(position.upcards) - position.turned
    pile = rules.first_pile
    if len(position.pile) != len(pile) - gone:
        return f"{len(pile) - gone} prizes are face down there, not {len(position.pile)}"
    if position.order_known and not rules.order_known and len(position.pile) > 1:
        return "the order of its prizes is not known there"
    if rules.order_known:
        if not position.order_known and len(position.pile) > 1:
            return "the order of its prizes is known there"
        up = pile[gone - len(position.upcards) : gone]
        if position.pile != pile[gone:] or position.upcards != up:
            return "its prizes come in another order"
    else:
        extra = Counter(position.pile + position.upcards) - Counter(pile)
        if extra:
            return f"prize {min(extra)} is not (or not so often) among its prizes"
    tied = len((set(first[0]) & set(first[1])) - set(hands[0]) - set(hands[1]))
    if carried > tied:
        if not carries(rules):
            return "no prize is carried there"
        return f"{carried} carried prizes need as many ties, but {tied} ranks can have tied"
    if carried and not carries(rules):
        return "no prize is carried there"
    return ""


# -- files ----------------------------------------------------------------------------------------


def layer_file(rounds: int, part: str) -> str:
    """Name a file of a layer."""
    return f"layer-{rounds:02}-{part}.npy"


def layer_parts(induction: Induction, rounds: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a layer that say what its values belong to."""
    layer = induction.make_layer(rounds, np.empty(0))
    masks, pots, _ = induction.levels[rounds].parts()
    return {
        "words": layer.words,
        "offsets": layer.offsets,
        "states": np.stack((masks, pots), axis=1).astype(np.uint32),
    }


def create_array(path: Path, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Create a ``.npy`` file of zeros with all its room reserved, and map it."""
    kind = np.dtype(dtype)
    descr = np.lib.format.dtype_to_descr(kind)
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    with open(path, "wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        # A full disk must show here: later it would be a fault that nothing can catch.
        os.posix_fallocate(stream.fileno(), 0, stream.tell() + math.prod(shape) * kind.itemsize)
    return map_array(path, writable=True)


def map_array(path: Path, *, writable: bool = False) -> NDArray[Any]:
    """Map the array in a ``.npy`` file; unless it is writable, changes stay in memory."""
    with open(path, "rb+" if writable else "rb") as stream:
        np.lib.format.read_magic(stream)
        shape, _, kind = np.lib.format.read_array_header_1_0(stream)
        access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_COPY
        pages = mmap.mmap(stream.fileno(), 0, access=access)
        array = np.frombuffer(pages, kind, math.prod(shape), stream.tell())
    return array.reshape(shape)


def let_go(array: NDArray[Any]) -> None:
    """Leave the pages of a writable map to the file cache, which gives way when room is short."""
    owner: Any = array
    while owner is not None and not isinstance(owner, mmap.mmap):
        owner = owner.obj if isinstance(owner, memoryview) else getattr(owner, "base", None)
    if owner is not None:
        owner.madvise(mmap.MADV_DONTNEED)


def seal(path: Path, threads: int) -> dict[str, Any]:
    """Return the size of a file and the checksums of its blocks."""
    size = path.stat().st_size
    checks = "".join(f"{number:08x}" for number in _block_checks(path, size, threads))
    return {"bytes": size, "crc32": checks}


def _block_checks(path: Path, size: int, threads: int) -> list[int]:
    step = 256 * BLOCK
    spans = [(start, min(start + step, size)) for start in range(0, size, step)]
    if len(spans) < 2:
        found = [_checks(path, span) for span in spans]
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(partial(_checks, path), spans))
    return [number for span in found for number in span]


def _checks(path: Path, span: tuple[int, int]) -> list[int]:
    start, stop = span
    numbers = []
    with open(path, "rb", buffering=0) as stream:
        stream.seek(start)
        while start < stop:
            data = stream.read(min(BLOCK, stop - start))
            numbers.append(zlib.crc32(data))
            start += BLOCK
    return numbers


def write_sealed(path: Path, document: dict[str, Any]) -> None:
    """Write a JSON document that ends with its own checksum, whole or not at all."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(_sealed_text(document), encoding="ascii")
    beside.replace(path)


def read_sealed(path: Path) -> dict[str, Any]:
    """Read what `write_sealed` wrote; `TableError` if a byte of it has changed."""
    try:
        text = path.read_bytes()
    except FileNotFoundError as error:
        if (path.parent / UNFINISHED).is_dir():
            raise TableError(
                f"{path.parent}: the solve is not finished; `gops solve --resume` goes on with it"
            ) from None
        missing = "no table here" if path.parent.is_dir() else error.strerror
        raise TableError(f"{path}: {missing}") from None
    except OSError as error:
        raise failure(path, error) from None
    try:
        document = json.loads(text)
        check = document.pop("checksum")
        whole = check == zlib.crc32(_body(document).encode("ascii"))
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        raise TableError(f"{path}: damaged or foreign: not a manifest of gops") from None
    if not whole or _sealed_text(document).encode("ascii") != text:
        raise TableError(f"{path}: altered: its checksum is not that of its contents")
    return dict(document)


def _body(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, allow_nan=False)


def _sealed_text(document: dict[str, Any]) -> str:
    body = _body(document)
    return f'{body[:-2]},\n "checksum": {zlib.crc32(body.encode("ascii"))}\n}}\n'


def rules_to_dict(rules: Rules) -> dict[str, Any]:
    """Return rules as plain data: cards, ties and what differs from the default."""
    usual = Rules()
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return {
        name: value
        for name, value in values.items()
        if name in ("cards", "tie") or value != getattr(usual, name)
    }


def failure(path: Path, error: Exception) -> TableError:
    reason = getattr(error, "strerror", None) or str(error)
    return TableError(f"{path}: {reason}")
