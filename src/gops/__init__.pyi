from gops import strategies as strategies
from gops.analysis import Analysis as Analysis
from gops.analysis import analyse as analyse
from gops.errors import GopsError as GopsError
from gops.errors import IllegalBidError as IllegalBidError
from gops.errors import MissingExtraError as MissingExtraError
from gops.errors import NotationError as NotationError
from gops.errors import PositionError as PositionError
from gops.errors import RulesError as RulesError
from gops.errors import TableError as TableError
from gops.errors import TooLargeError as TooLargeError
from gops.game import Game as Game
from gops.game import perft as perft
from gops.game import playouts as playouts
from gops.match import Match as Match
from gops.matrix import solve_matrix as solve_matrix
from gops.position import Position as Position
from gops.rules import Rules as Rules
from gops.solving import solve as solve
from gops.tables import Table as Table

__version__: str
