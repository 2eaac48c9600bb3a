"""Explain predictions of an ensemble: every prediction is a sum of contributions of the columns along the paths.

A row starts with the prediction of the roots, the bias. At every node on its path, the prediction changes from the
node's to the child's, and the change is attributed to the column of the split. So the bias and all contributions add up
to the prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.in_words import plural
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.base.plain import ModelError
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

    Numbers = NDArray[np.float64]

MOST_OUTPUTS = 5  # in one table
BLOCK_ROWS = 1024  # rows at a time: each visits trees x depth nodes


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(ShowsText):
    """Contributions of the columns to each prediction.

    Parameters
    ----------
    names : tuple of str
        The features.
    outputs : tuple of str
        What the contributions add up to: the classes, or the target; for boosting of classes, the scores.
    bias : array of shape (outputs,)
        The prediction before any split.
    values : array of shape (rows, features, outputs)
        The contribution of each column.
    """

    names: tuple[str, ...]
    outputs: tuple[str, ...]
    bias: Numbers
    values: Numbers

    @property
    def prediction(self) -> Numbers:
        """The predictions, of shape (rows, outputs): the bias plus all contributions."""
        found: Numbers = self.bias + self.values.sum(axis=1)
        return found

    def of(self, row: int, output: str | int | None = None) -> list[tuple[str, float]]:
        """The contributions to a row's prediction, by column, without zeros; the largest first.

        Parameters
        ----------
        row : int
            The number of the row.
        output : str or int, optional
            The class, by name or number. None: the one with the greatest prediction, or the only output.
        """
        place = self._place(row, output)
        steps = self.values[row, :, place]
        order = np.argsort(-np.abs(steps), kind="stable")
        return [(self.names[number], float(steps[number])) for number in order.tolist() if steps[number] != 0]

    def text(self, row: int | None = None, output: str | int | None = None) -> str:
        """The contributions to a row's prediction, one line each, from the bias to the prediction.

        Parameters
        ----------
        row : int, optional
            The number of the row. None: the mean of the absolute contributions to all rows, the largest first.
        output : str or int, optional
            The class, by name or number. None: the one with the greatest prediction; for all rows, every class.
        """
        if row is None:
            return self._of_all_rows(output)
        place = self._place(row, output)
        steps = self.of(row, place)
        lines = [("before any split", float(self.bias[place])), *steps]
        room = max(len(name) for name, _ in lines)
        total = float(self.prediction[row, place])
        rows = [f"{name:{room}}  {amount:+.4g}" for name, amount in lines]
        return "\n".join([*rows, f"{self.outputs[place]:{room}}  {total:.4g}"])

    def _of_all_rows(self, output: str | int | None) -> str:
        places = list(range(len(self.outputs))) if output is None else [self._place(0, output)]
        sizes = np.abs(self.values).mean(axis=0) if len(self.values) else np.zeros(self.values.shape[1:])
        sizes, names = sizes[:, places], [self.outputs[place] for place in places]
        if len(names) > MOST_OUTPUTS:
            sizes, names = sizes.sum(axis=1, keepdims=True), [f"sum over {len(names)} classes"]
        heads = ["mean absolute contribution", *names]
        order = np.argsort(-sizes.sum(axis=1), kind="stable").tolist()
        cells = [[self.names[i], *(f"{size:.4g}" for size in sizes[i])] for i in order]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in [heads, *cells]
        )

    def _headline(self) -> str:
        rows, features = self.values.shape[:2]
        of = " and ".join(self.outputs) if len(self.outputs) <= 2 else f"{len(self.outputs)} classes"  # noqa: PLR2004
        return f"of {plural(features, 'column')} to the predictions of {of}, {plural(rows, 'row')}"

    def _place(self, row: int, output: str | int | None) -> int:
        if output is None:
            return int(self.prediction[row].argmax())
        return self.outputs.index(output) if isinstance(output, str) else output


@takes_rows()
def contributions(model: Any, table: Table) -> Contributions:  # noqa: ANN401 - any model of trees
    """Contributions of the columns to the predictions of a tree, a forest, or an ensemble of these.

    Parameters
    ----------
    model : Tree, Forest, Ensemble of them, or fitted estimator
        Leaves must predict probabilities or means; model trees, whose leaves have equations, are not supported. Members
        of an ensemble are averaged.
    table : Table
        Rows with the model's features.

    Returns
    -------
    Contributions
        To class probabilities, or to a number. For boosting they add up to the score before the link (the logarithm of
        the odds). A split by a sum of columns is attributed to each of them in equal parts; where a surrogate decided
        for a missing value, the step is attributed to the column whose value was missing.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> forest = hornbeam.BaggingClassifier(n_estimators=25, random_state=1).fit(iris)
    >>> found = hornbeam.contributions(forest, iris)
    >>> bool(abs(found.prediction - forest.predict_proba(iris)).max() < 1e-6)
    True
    """
    model = getattr(model, "model_", model)
    outputs = _outputs(model)
    features = [model.schema.columns[place].name for place in model.schema.features]
    bias, values = _found(model, table, len(outputs))
    return Contributions(tuple(features), outputs, bias, values)


def _outputs(model: Any) -> tuple[str, ...]:  # noqa: ANN401
    target = model.schema.target_column
    if not isinstance(target, Nominal):
        return (target.name,)
    if isinstance(model, Forest) and model.n_outputs == 1:
        return (target.categories[-1],)  # two classes from one score
    return target.categories


def _found(model: Any, table: Table, n_outputs: int) -> tuple[Numbers, Numbers]:  # noqa: ANN401
    """The bias, and contributions of shape (rows, features, outputs)."""
    n_features = len(model.schema.features)
    values = np.zeros((table.n_rows, n_features, n_outputs))
    if isinstance(model, Ensemble):
        return _of_members(model, table, values), values
    if isinstance(model, Tree):
        bias, blocks = _tree_steps(model, table)
    elif isinstance(model, Forest):
        bias, blocks = _forest_steps(model, table)
    else:
        msg = f"cannot follow the paths of a {type(model).__name__}; expected trees, a forest, or an ensemble of them"
        raise TypeError(msg)
    for first, stop, row, feature, steps in blocks:
        place = row * n_features + feature
        for output in range(n_outputs):
            summed = np.bincount(place, steps[:, output], minlength=(stop - first) * n_features)
            values[first:stop, :, output] += summed.reshape(stop - first, n_features)
    return bias, values


def _of_members(model: Ensemble, table: Table, values: Numbers) -> Numbers:
    """Add the mean over the members to `values`, and return the bias."""
    if model.decide != "mean":
        msg = "votes are not sums along paths; expected an ensemble that decides by the mean"
        raise ModelError(msg)
    place_of = {model.schema.columns[place].name: number for number, place in enumerate(model.schema.features)}
    bias = np.zeros(values.shape[2])
    for member in model.members:
        if isinstance(member, Forest) and member.combine != "mean":
            msg = "a member adds up scores, whose probabilities are not sums along paths; expected forests that average"
            raise ModelError(msg)
        start, steps = _found(member, table, values.shape[2])
        bias += start / len(model.members)
        own = [place_of[member.schema.columns[place].name] for place in member.schema.features]
        values[:, own] += steps / len(model.members)
    return bias


Block = tuple[int, int, Any, Any, Any]  # first row, end; and for every step: row within the block, feature, amounts


def _tree_steps(tree: Tree, table: Table) -> tuple[Numbers, Iterator[Block]]:
    if tree.intercept is not None:
        msg = "the tree has equations at its leaves: predictions are not sums along paths (see hornbeam.show.explain)"
        raise ModelError(msg)
    if tree.task == "classification":
        value = tree.value[tree.predicting_node] + tree.pseudo_counts
        total = value.sum(axis=1, keepdims=True)
        predicted = np.divide(value, total, out=np.full_like(value, 1.0 / value.shape[1]), where=total > 0)
    else:
        predicted = tree.value[tree.predicting_node, 1:2]
    steps = predicted - predicted[np.maximum(tree.parent, 0)]
    # The features of each node's split, and their number: one, or those of a sum.
    feature_of = np.full(len(tree.schema.columns), -1)
    feature_of[list(tree.schema.features)] = np.arange(len(tree.schema.features))
    asked = [feature_of[tree.splits.columns_of(split)] if split >= 0 else () for split in tree.split.tolist()]
    n_asked = np.array([len(each) for each in asked])
    start = offsets(n_asked)
    flat = np.concatenate([np.asarray(each, np.int64) for each in asked])

    def blocks() -> Iterator[Block]:
        for first in range(0, table.n_rows, BLOCK_ROWS):
            stop = min(first + BLOCK_ROWS, table.n_rows)
            begin, nodes, weights = tree.decision_path(table.take(np.arange(first, stop)))
            row = np.repeat(np.arange(stop - first), np.diff(begin))
            below = nodes > 0
            row, nodes, weights = row[below], nodes[below], weights[below]
            above = tree.parent[nodes]
            count = n_asked[above]
            each = np.repeat(np.arange(len(nodes)), count)
            offset = np.arange(len(each)) - np.repeat(np.cumsum(count) - count, count)
            amounts = steps[nodes] * (weights / count)[:, np.newaxis]
            yield first, stop, row[each], flat[start[above[each]] + offset], amounts[each]

    return predicted[0], blocks()


def _forest_steps(forest: Forest, table: Table) -> tuple[Numbers, Iterator[Block]]:
    inner = np.flatnonzero(forest.first_child >= 0)
    parent = np.full(forest.n_nodes, -1)
    parent[forest.first_child[inner]] = parent[forest.first_child[inner] + 1] = inner
    value = forest.node_values()
    scale = 1.0 / forest.n_trees if forest.combine == "mean" else 1.0
    roots = forest.roots[:-1]
    bias = np.zeros(forest.n_outputs) if forest.combine == "mean" else forest.base.astype(np.float64)
    whole = value
    if forest.output is None:
        bias = bias + scale * value[roots].sum(axis=0)
    else:
        bias = bias + np.bincount(forest.output, scale * value[roots, 0], minlength=forest.n_outputs)
        whole = np.zeros((forest.n_nodes, forest.n_outputs))
        of_node = np.repeat(forest.output, np.diff(forest.roots))
        whole[np.arange(forest.n_nodes), of_node] = value[:, 0]
    steps = scale * (whole - whole[np.maximum(parent, 0)])

    def blocks() -> Iterator[Block]:
        for first in range(0, table.n_rows, BLOCK_ROWS):
            stop = min(first + BLOCK_ROWS, table.n_rows)
            nodes = forest.apply(table.take(np.arange(first, stop))).astype(np.int64).ravel()
            row = np.repeat(np.arange(stop - first), forest.n_trees)
            while True:  # from the leaves up, all trees a step at a time
                below = parent[nodes] >= 0
                nodes, row = nodes[below], row[below]
                if not len(nodes):
                    break
                above = parent[nodes]
                yield first, stop, row, forest.feature[above], steps[nodes]
                nodes = above

    return bias, blocks()
