"""The columns of a table for a compiled kernel that grows trees or rules, and its cuts as values of the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.base.tolerance import SLACK
from hornbeam.core.rows.presort import Workroom, few_values, largest_at_most, sort_by_halves, sort_known
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.limits import LearnError
from hornbeam.learn.trees.choices import count_alike
from hornbeam.model.trees.split import CODES, CUTS

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Uints32
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree

# A numeric column with no more distinct values than this is counted, not sorted.
FEW_VALUES = 64
# A nominal column with this many categories per row does not count towards the average gain (Quinlan 1993).
MANY_VALUED_SHARE = 0.3
# Weights and values closer than this are equal.


def add_columns(
    kernel: Any, table: Table, recipe: Recipe, n_threads: int = 1, *, reference: Table | None = None
) -> dict[int, Floats]:
    """Add the features of a table to a kernel, in their order.

    Parameters
    ----------
    kernel : object
        Has `add_sorted` and `add_codes`; also `put_in_order` if sums are computed row by row.
    table : Table
        Training rows.
    recipe : Recipe
        How columns are used.
    n_threads : int
        Number of threads for sorting.
    reference : Table, optional
        The table whose rows are counted to find many-valued columns, if it is not `table` itself.

    Returns
    -------
    dict
        The edges of the intervals by column, if the recipe discretizes columns first.
    """
    whole = table if reference is None else reference
    features = table.schema.features
    rows = float(whole.n_rows if whole.weights is None or recipe.count_for_cut else whole.weights.sum())
    many = [
        isinstance(column := table.schema.columns[i], Nominal)
        and not column.ordered
        and not len(column.categories) < MANY_VALUED_SHARE * rows - SLACK
        for i in features
    ]
    if all(many):  # then none is treated specially
        many = [False] * len(features)
    numeric = [i for i in features if not isinstance(table.schema.columns[i], Nominal)]
    edges: dict[int, Floats] = {}
    prepared = dict(zip(numeric, _prepare(table, numeric, recipe, n_threads, edges), strict=True))
    for position, set_apart in zip(features, many, strict=True):
        if position in prepared:
            prepared[position](kernel)
        else:
            _add_nominal(kernel, table, position, recipe, many_valued=set_apart)
    return edges


def _prepare(table: Table, positions: list[int], recipe: Recipe, n_threads: int, edges: dict[int, Floats]) -> list[Any]:
    """For each numeric column a function that adds it to a kernel: codes if there are few values, or its sort order."""
    rooms: list[Workroom] = []
    orders = np.empty((len(positions), table.n_rows), np.uint32)  # one block of memory, not used before it is needed

    def prepare(position: int) -> Any:
        values = table.columns[position]
        if recipe.missing == "error" and np.isnan(values).any():
            _refuse_missing(table, position)
        if recipe.numeric == "discretized":
            edges[position], intervals = _intervals(table, position, recipe)
            numbers = np.arange(len(edges[position]) + 1, dtype=np.float64)
            return lambda grower: grower.add_codes(intervals, numbers, len(numbers), False, False)
        if recipe.row_by_row:
            return _add_in_order(table, position, recipe)
        # sums of columns need numbers, not codes; and codes have weights, but no number of rows
        by_value = recipe.combinations or (recipe.count_for_cut and table.weights is not None)
        # first, so that the tree does not depend on which sort orders are known
        few = None if by_value else few_values(values, FEW_VALUES)
        if few is not None:
            codes, distinct = few
            return lambda grower: grower.add_codes(codes, distinct, len(distinct), False, False)
        order = table.known_order(position)
        if order is not None:
            return lambda grower: grower.add_sorted(values, order)
        room = rooms.pop() if rooms else Workroom(len(values))
        order = sort_known(values, room, orders[positions.index(position)])
        rooms.append(room)
        if recipe.threshold == "data-value":  # looked up again once the tree is grown
            table.keep_order(position, order)
            return lambda grower: grower.add_sorted(values, order)
        return lambda grower: grower.add_sorted(values, order, True)

    if n_threads == 1:
        return [prepare(position) for position in positions]
    with Threads(n_threads) as pool:
        return list(pool.map(prepare, positions))


def _add_in_order(table: Table, position: int, recipe: Recipe) -> Any:
    """A function that adds a column with sums row by row: as codes if values are few and every row counts once."""
    values, halved = table.columns[position], _by_halves(table, position)
    short = count_alike(table, recipe) and recipe.criterion in {"gini", "variance"} and recipe.missing == "surrogate"
    few = few_values(values, FEW_VALUES) if short and len(halved) else None
    if few is None:
        return lambda grower: grower.add_sorted(values, halved)
    codes, distinct = few

    def add(grower: Any) -> None:
        grower.add_codes(codes, distinct, len(distinct), False, False)
        grower.put_in_order(halved)

    return add


def _by_halves(table: Table, position: int) -> Uints32:
    """The sort order of a column, with equal values in the order of rpart's quicksort; kept with the table."""
    order = table.known_order(position)
    if order is None:
        values = table.columns[position]
        order = sort_known(values)
        if len(order) == len(values):
            order = sort_by_halves(values, order)
        elif (np.diff(values[order]) == 0).any():  # otherwise any sort gives the same
            order = sort_by_halves(values)
            order = order[~np.isnan(values[order])]
        table.keep_order(position, order)
    return order


def _intervals(table: Table, position: int, recipe: Recipe) -> tuple[Floats, AnyArray]:
    """The edges of the intervals of a column, and the interval of every row."""
    from hornbeam.learn.columns.discretize import column_cuts  # noqa: PLC0415 - only where asked for

    values = table.columns[position]
    edges = column_cuts(
        recipe.discretize, values, table.target_values(), table.weights, bins=recipe.bins,
        order=table.sort_order(position),
    )  # fmt: skip
    codes = np.searchsorted(edges, values, side="left" if recipe.equal_low else "right")
    codes[np.isnan(values)] = len(edges) + 1
    return edges, codes.astype(np.uint8 if len(edges) + 1 < np.iinfo(np.uint8).max else np.int32)


def _refuse_missing(table: Table, position: int) -> None:
    column = table.schema.columns[position]
    row = int(np.flatnonzero(table.missing(position))[0])
    msg = (
        f"column {column.name!r}, row {row + 1}: the value is missing, and missing values are refused "
        '(missing="error"); for a nominal column, missing="own-category" makes them a category of their own'
    )
    raise LearnError(msg)


def _add_nominal(grower: Any, table: Table, position: int, recipe: Recipe, *, many_valued: bool) -> None:
    column, codes = table.schema.columns[position], table.columns[position]
    assert isinstance(column, Nominal)
    n_codes = len(column.categories)
    if recipe.missing == "error" and (codes < 0).any():
        _refuse_missing(table, position)
    if recipe.missing == "own-category" and not column.ordered and (codes < 0).any():
        codes = np.where(codes < 0, n_codes, codes)
        n_codes += 1
    narrow = n_codes < np.iinfo(np.uint8).max
    stored = np.where(codes < 0, n_codes, codes).astype(np.uint8 if narrow else np.int32)
    values = np.arange(max(n_codes, 1), dtype=np.float64)
    grower.add_codes(stored, values, n_codes, not column.ordered, many_valued)


def at_data_values(cuts: Floats, feature: AnyArray, chosen: Bools, whole: Table, slack: float) -> Floats:
    """Put each chosen cut at the largest value of the whole training set not above it.

    Values are compared with slack, one after another in row order: of values closer than the slack, the first in the
    table is used.
    """
    moved = cuts.copy()
    for number in np.unique(feature[chosen]):
        position = whole.schema.features[number]
        own = chosen & (feature == number)
        middle = moved[own]
        if isinstance(whole.schema.columns[position], Nominal):
            moved[own] = np.floor(middle)
            continue
        values = whole.columns[position]
        order = whole.sort_order(position)
        last, crowded = largest_at_most(values, order, middle, slack)
        at_value = values[order[last]]
        for i in np.flatnonzero(crowded):
            at_value[i] = _first_of_close(values, order, int(last[i]), float(middle[i]), slack)
        moved[own] = at_value
    return moved


def _first_of_close(values: Floats, order: Uints32, last: int, middle: float, slack: float) -> float:
    """The value that a search in row order with slack finds, among values below `middle` closer than the slack."""
    start = last
    while start > 0 and values[order[start]] - values[order[start - 1]] <= slack:
        start -= 1
    largest = -np.inf
    for value in values[np.sort(order[start : last + 1])]:
        if value > largest + slack and (value <= middle or value - middle < slack):
            largest = value
    return float(largest)


@dataclass(frozen=True)
class Filled:
    """A table with missing values of features replaced, and the replacement for each column (NaN: no known value).

    Missing numbers are replaced by the mean, missing categories by the most frequent one. The replacements are not
    stored with the model; each node remembers the branch that they take.
    """

    table: Table
    values: Floats

    def route(self, tree: Tree) -> Tree:
        """The tree in which rows without a value take the branch of the replacement, or else that of most weight."""
        missing = tree.missing.copy()
        for node in np.flatnonzero(tree.split >= 0):
            first, count = tree.first_child[node], tree.n_children[node]
            heaviest = int(np.argmax(tree.weight[first : first + count]))
            branch = self._branch(tree, int(tree.split[node]))
            missing[node] = heaviest if branch < 0 else branch
        return replace(tree, missing=missing)

    def _branch(self, tree: Tree, split: int) -> int:
        splits = tree.splits
        terms = splits.terms_of(split)
        value = self.values[splits.column[split]] if terms is None else self.values[terms[0]] @ terms[1]
        if np.isnan(value):
            return -1
        if splits.kind[split] == CUTS or terms is not None:
            cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]
            above = int(np.searchsorted(cuts, value, side="left" if splits.equal_low[split] else "right"))
            return splits.interval(split, above)
        part = slice(splits.code_start[split], splits.code_start[split + 1])
        if splits.kind[split] == CODES:
            return int(splits.codes[part][int(value)])
        listed = np.flatnonzero(splits.codes[part] == int(value))
        return int(splits.code_branch[part][listed[0]]) if len(listed) else int(splits.other[split])


def fill(table: Table) -> Filled:
    """Replace the missing values of every feature."""
    columns: list[AnyArray] = list(table.columns)
    values = np.full(len(columns), np.nan)
    weights = table.row_weights
    for position in table.schema.features:
        column, array = table.schema.columns[position], columns[position]
        known = ~column.missing(array)
        if not known.any():
            continue
        if isinstance(column, Nominal):
            counts = np.bincount(array[known], weights[known])
            values[position] = np.argmax(counts)
        else:
            values[position] = np.average(array[known], weights=weights[known])
        if not known.all():
            columns[position] = np.where(known, array, values[position].astype(array.dtype))
    return Filled(Table(table.schema, columns, table.notes, copy=False), values)
