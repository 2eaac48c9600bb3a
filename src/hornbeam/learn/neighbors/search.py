"""Search of the nearest rows: a tree for few numeric columns, otherwise all rows, screened in single precision.

Trees and screening only find candidates: their distances are computed again, as by the compiled comparison of all rows,
which is also used if candidates and other rows may be tied. So the neighbors are the same with every method.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakKeyDictionary

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.data.indices import offsets
from hornbeam.data.table import Table
from hornbeam.learn.base.parameters import threads
from hornbeam.learn.neighbors.screen import MOST_NEIGHBORS, Screen, can_screen
from hornbeam.model.neighbors.points import Neighbors
from hornbeam.model.neighbors.scales import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.model.neighbors.distance import Distance
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.model.neighbors.points import Points

Algorithm = Literal["auto", "kd-tree", "ball-tree", "brute"]
ALGORITHMS: tuple[Algorithm, ...] = ("auto", "kd-tree", "ball-tree", "brute")
FEW_ROWS = 500  # with fewer rows, comparing all is as fast as a tree
FEW_COLUMNS = 6  # with more columns, a tree visits most rows, and comparing all is faster
MANY_ROWS, MORE_COLUMNS = 500_000, 8  # unless there are many rows
SPARE = 1  # additional candidates, so that ties are detected
SLACK = 1e-9  # relative; trees round differently
MANY_PAIRS = 10**6  # minimum number of rows for screening
ROWS_AT_A_TIME = 4096  # query rows of a tree at a time
LEAST_ROWS_AT_A_TIME = 256  # for fewer, another thread costs more than it saves
FEWER_ASKING = 32  # rows per query row up to which sorting the rows is worthwhile


class Search:
    """A search for the nearest of some rows.

    Parameters
    ----------
    distance : Distance
        The distance between rows.
    points : Points
        The rows to choose from.
    way : {"auto", "kd-tree", "ball-tree", "brute"}
        Trees need numeric columns without missing values; "auto" uses a k-d tree for up to 6 such columns and more than
        500 rows (8 columns from 500,000 rows on). An error if a tree was requested and cannot be used.
    all_tied, rooted : bool
        See `Distance.nearest`.
    n_threads : int
        The neighbors do not depend on it.
    """

    def __init__(
        self,
        distance: Distance,
        points: Points,
        way: Algorithm = "auto",
        *,
        all_tied: bool = True,
        rooted: bool = False,
        n_threads: int = 1,
    ) -> None:
        self.distance, self.points, self.n_threads = distance, points, n_threads
        self.all_tied, self.rooted = all_tied, rooted
        reason = self._no_tree()
        if way in ("kd-tree", "ball-tree") and reason is not None:
            msg = f"search is {way!r}, but {reason}; expected 'auto' or 'brute'"
            raise ValueError(msg)
        self.used = np.flatnonzero(distance.weight > 0)
        if way == "auto":
            most = MORE_COLUMNS if points.n_rows >= MANY_ROWS else FEW_COLUMNS
            small = points.n_rows <= FEW_ROWS or len(self.used) > most
            way = "brute" if small or reason is not None else "kd-tree"
        self.way = way
        self._can_screen = can_screen(distance, points.n_rows)
        self._tree: Any = None
        self._screen: Screen | None = None

    def _no_tree(self) -> str | None:
        """Why a tree cannot be used; None if it can."""
        schema = self.distance.schema
        for f, place in enumerate(schema.features):
            if not self.distance.weight[f] > 0:
                continue
            if not is_number(schema.columns[place]):
                return f"the column {schema.columns[place].name!r} is nominal"
            if not self.points.complete[f]:
                return f"the column {schema.columns[place].name!r} has missing values"
        return None if (self.distance.weight > 0).any() else "no column has a weight"

    def nearest(self, asking: Points, k: int) -> Neighbors:
        """The k nearest rows of every query row; see `Distance.nearest`."""
        k = min(k, self.points.n_rows)
        if self.way != "brute" and asking.n_rows and asking.complete[self.used].all():
            rows, far = self._ask_tree(self._scaled(asking), min(k + SPARE, self.points.n_rows))
            return self._settled(asking, rows, k, far[:, -1])
        if self._can_screen and k <= MOST_NEIGHBORS and asking.n_rows * self.points.n_rows > MANY_PAIRS:
            in_order = asking.n_rows * FEWER_ASKING >= self.points.n_rows
            if self._screen is None or (in_order and not self._screen.in_order):
                self._screen = Screen(self.distance, self.points, in_order=in_order)
            rows, sure = self._screen.candidates(asking, k, self.n_threads)
            return self._settled(asking, rows, k, np.where(sure, np.inf, -np.inf))
        return self._by_blocks(asking, k)

    def _settled(self, asking: Points, rows: Ints64, k: int, farther: Floats) -> Neighbors:
        """Neighbors among candidates: all other rows are at least `farther` away (-1: no candidate)."""
        exact = self.distance.at_rows(asking, self.points, rows, rooted=self.rooted)
        order = np.lexsort((rows, exact))
        rows, exact = np.take_along_axis(rows, order, 1), np.take_along_axis(exact, order, 1)
        last = exact[:, k - 1] if rows.shape[1] >= k else np.full(len(rows), np.inf)
        found = self._distances(exact)
        beyond = farther > self._as_in_tree(self._distances(last)) * (1 + SLACK)
        unsure = ~beyond & ((rows >= 0).sum(axis=1) < self.points.n_rows)
        keep = exact <= last[:, np.newaxis] if self.all_tied else np.tile(np.arange(rows.shape[1]) < k, (len(rows), 1))
        keep[unsure] = False
        counts = keep.sum(axis=1)
        if not unsure.any():
            return Neighbors(offsets(counts), rows[keep], found[keep])
        again = np.flatnonzero(unsure)
        blocks = self._by_blocks(asking.take(again), k)
        counts[again] = blocks.counts
        by_blocks = np.repeat(unsure, counts)
        all_rows, all_far = np.empty(len(by_blocks), np.int64), np.empty(len(by_blocks))
        all_rows[~by_blocks], all_far[~by_blocks] = rows[keep], found[keep]
        all_rows[by_blocks], all_far[by_blocks] = blocks.rows, blocks.distances
        return Neighbors(offsets(counts), all_rows, all_far)

    def _by_blocks(self, asking: Points, k: int) -> Neighbors:
        return self.distance.nearest(
            asking, self.points, k, all_tied=self.all_tied, rooted=self.rooted, n_threads=self.n_threads
        )

    def _scaled(self, points: Points) -> Floats:
        """Rows as a matrix, with columns multiplied by their weights."""
        weight = self.distance.weight[self.used]
        place = np.cumsum([is_number(self.distance.schema.columns[p]) for p in self.distance.schema.features]) - 1
        stretch = np.sqrt(weight) if self.distance.squared else weight
        return np.ascontiguousarray((points.numbers[place[self.used]] * stretch[:, np.newaxis]).T)

    def _ask_tree(self, rows: Floats, k: int) -> tuple[Ints64, Floats]:
        power = 2 if self.distance.squared else 1
        if self.way == "ball-tree":
            from sklearn.neighbors import BallTree  # noqa: PLC0415 - rarely asked for

            if self._tree is None:
                self._tree = BallTree(self._scaled(self.points), metric="minkowski", p=power)
            parts = [self._tree.query(rows[part], k) for part in _parts(len(rows))]
        else:
            from scipy.spatial import cKDTree  # noqa: PLC0415 - not where all is categories

            if self._tree is None:
                self._tree = cKDTree(self._scaled(self.points))
            parts = self._ask_in_threads(partial(self._tree.query, k=k, p=power), rows)
        far, found = (np.concatenate([part[which].reshape(-1, k) for part in parts]) for which in (0, 1))
        return found.astype(np.int64), far

    def _ask_in_threads(self, ask: Callable[[Floats], Any], rows: Floats) -> list[Any]:
        """Ask about every block of rows. SciPy's own threads would use freed memory after Ctrl-C."""
        blocks = [rows[part] for part in _parts(len(rows), self.n_threads)]
        if self.n_threads == 1 or len(blocks) == 1:
            return list(map(ask, blocks))
        with Threads(self.n_threads) as pool:
            return list(pool.map(ask, blocks))

    def _as_in_tree(self, distance: Floats) -> Floats:
        """Distances as in the tree: not divided by the weights."""
        if not self.distance.mean:
            return distance
        whole = float(self.distance.weight.sum())
        return distance * (np.sqrt(whole) if self.distance.squared else whole)

    def _distances(self, exact: Floats) -> Floats:
        return np.sqrt(exact) if self.distance.squared and not self.rooted else exact


# Searches made for prediction, by model: an estimator must not change when it predicts.
_MADE: WeakKeyDictionary[Instances, Search] = WeakKeyDictionary()


class Searching:
    """Base of estimators that search for the nearest rows; the search is made when it is first needed."""

    model_: Instances

    def _way(self) -> dict[str, Any]:
        """The search method of the model."""
        n_threads = threads(getattr(self, "n_jobs", None))
        model: Instances = self.model_
        if model.widened or model.class_columns is not None:  # different distances for the classes
            return {"n_threads": n_threads}
        search = getattr(self, "_search", None)
        if search is None or search.distance is not model.distance:
            search = _MADE.get(model)
        if search is None:
            way: Algorithm = getattr(self, "algorithm", "auto")
            search = Search(model.distance, model.points, way, all_tied=model.all_tied, rooted=model.rooted)
            _MADE[model] = search
        search.n_threads = n_threads
        return {"n_threads": n_threads, "find": search.nearest}

    def _outputs(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        table = rows if isinstance(rows, Table) else self.model_._table_of(rows)
        return self.model_.combined(self.model_.neighbors(table, **self._way()))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(cast("Any", super()).__getstate__())
        state.pop("_search", None)  # can be made from the model
        return state


class SearchingClassifier(Searching):
    """The same for classes."""

    def _codes(self, rows: Table | NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self._outputs(rows).argmax(axis=1), np.int32)

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        return self._outputs(rows)


def _parts(n_rows: int, n_threads: int = 1) -> list[slice]:
    """Blocks of rows, small enough that Ctrl-C works between calls of other libraries' trees; one for each thread."""
    step = max(LEAST_ROWS_AT_A_TIME, min(ROWS_AT_A_TIME, -(-n_rows // n_threads)))
    return [slice(first, first + step) for first in range(0, n_rows, step)]
