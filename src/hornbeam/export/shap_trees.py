"""Forests in the form that `shap.TreeExplainer` takes. The package shap is not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, is_missing
from hornbeam.export.writers import unwrap
from hornbeam.model.base.align import align
from hornbeam.model.base.plain import ModelError
from hornbeam.model.forests.forest import Forest
from hornbeam.model.forests.invariants import set_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.export.writers import Exportable


def shap(model: Exportable) -> dict[str, Any]:
    """Return a forest or boosting model as the dictionary that `shap.TreeExplainer` takes.

    Parameters
    ----------
    model : Forest or fitted estimator
        A random forest, extremely randomized trees, boosting, or an imported forest.

    Returns
    -------
    dict
        ``trees`` (each with ``children_left``, ``children_right``, ``children_default``, ``features``, ``thresholds``,
        ``values`` and ``node_sample_weight``), ``base_offset``, ``tree_output``, ``objective`` (not for several
        classes), ``input_dtype`` and ``internal_dtype``. SHAP values and the expected value add up to class
        probabilities or numbers where trees are averaged, and to the score before the link of boosting. Rows for the
        explainer: `shap_rows`.

    Raises
    ------
    TypeError
        If the model is not a forest.
    ModelError
        If a split tests for a set of categories that are not adjacent in the order of the column: shap supports only
        cuts.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> forest = hornbeam.RandomForestClassifier(n_estimators=5, random_state=0).fit(iris)
    >>> plain = hornbeam.export.shap(forest)
    >>> len(plain["trees"]), plain["tree_output"]
    (5, 'probability')
    """
    forest = _forest_of(model)
    cut, swapped = _cuts(forest)
    values = _values(forest)
    trees = []
    for number in range(forest.n_trees):
        part = slice(int(forest.roots[number]), int(forest.roots[number + 1]))
        leaf = forest.first_child[part] < 0
        first = np.where(leaf, -1, forest.first_child[part] - part.start)
        second = np.where(leaf, -1, first + 1)
        trees.append(
            {
                "children_left": np.where(swapped[part], second, first).astype(np.int32),
                "children_right": np.where(swapped[part], first, second).astype(np.int32),
                "children_default": np.where(forest.missing[part] == 0, first, second).astype(np.int32),
                "features": np.where(leaf, 0, forest.feature[part]).astype(np.int32),
                "thresholds": cut[part],
                "values": values[part],
                "node_sample_weight": forest.weight[part].astype(np.float64),
            }
        )
    plain: dict[str, Any] = {
        "trees": trees,
        "base_offset": np.zeros(forest.n_outputs) if forest.combine == "mean" else forest.base.copy(),
        "tree_output": "raw_value",
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
    }
    if forest.link == "logistic":
        plain |= {"tree_output": "log_odds", "objective": "binary_crossentropy"}
    elif forest.task == "classification" and forest.combine == "mean":
        plain["tree_output"] = "probability"
    elif forest.link == "identity":
        plain["objective"] = "squared_error"
    return plain


def shap_rows(model: Any, rows: Any) -> NDArray[np.float64]:  # noqa: ANN401 - a model or an estimator; rows of any sort
    """Return rows as the matrix that goes with `shap`: numbers, positions of categories, and NaN where missing.

    Parameters
    ----------
    model : Forest or fitted estimator
        The model.
    rows : Table, frame, matrix or list of rows
        Rows with the model's features.
    """
    forest = _forest_of(model)
    table = align(forest.schema, forest.as_table(rows))
    columns = [table.columns[place] for place in forest.schema.features]
    return np.column_stack([np.where(is_missing(values), np.nan, values.astype(np.float64)) for values in columns])


def _forest_of(model: Any) -> Forest:  # noqa: ANN401 - as above
    _, forest = unwrap(model)
    if not isinstance(forest, Forest):
        msg = f"shap takes forests and boosting of plain trees; found a {type(forest).__name__}"
        raise TypeError(msg)
    forest.validate()
    return forest


def _values(forest: Forest) -> NDArray[np.float64]:
    """What every node adds to every output."""
    values = forest.node_values()
    if forest.combine == "mean":
        return values / forest.n_trees
    if forest.output is None:
        return values
    whole = np.zeros((forest.n_nodes, forest.n_outputs))
    whole[np.arange(forest.n_nodes), np.repeat(forest.output, np.diff(forest.roots))] = values[:, 0]
    return whole


def _cuts(forest: Forest) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The cuts of all nodes, and which nodes have the branch of high values first.

    The first or the last categories of a column are on one side of a cut between positions.
    """
    cut, swapped = forest.cut.copy(), np.zeros(forest.n_nodes, np.bool_)
    columns = [forest.schema.columns[place] for place in forest.schema.features]
    by_set = [set_size(column) >= 0 for column in columns]
    for node in np.flatnonzero(forest.first_child >= 0).tolist():
        feature = int(forest.feature[node])
        if not by_set[feature]:
            continue
        assert forest.set_start is not None
        assert forest.codes is not None
        codes = forest.codes[forest.set_start[node] : forest.set_start[node + 1]]
        column = columns[feature]
        assert isinstance(column, Nominal)
        n_categories = len(column.categories)
        if codes[-1] == len(codes) - 1:
            cut[node] = codes[-1] + 0.5
        elif codes[0] == n_categories - len(codes):
            cut[node], swapped[node] = codes[0] - 0.5, True
        else:
            listed = ", ".join(repr(column.categories[code]) for code in codes[:3].tolist())
            others = ", ..." if len(codes) > 3 else ""  # noqa: PLR2004 - as many as are listed
            msg = (
                f"a split on the column {column.name!r} tests for {listed}{others}, which no cut separates from "
                "the other categories, and shap supports only cuts; use hornbeam.contributions instead"
            )
            raise ModelError(msg)
    return cut, swapped
