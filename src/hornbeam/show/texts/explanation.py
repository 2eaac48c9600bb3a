"""`hornbeam.show.explain`: why a row gets its prediction: the conditions on its path, and the equation at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.neighbors.exemplars import Exemplars
from hornbeam.model.neighbors.instances import Instances
from hornbeam.model.neighbors.kstar import KStarModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.svm.svm import SVM
from hornbeam.model.trees.equation import terms_of
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.forests.forest_text import explain_forest
from hornbeam.show.texts.linear.linear_text import FIGURES, added_lines, explain_equation
from hornbeam.show.texts.neighbors.rows_explanation import (
    explain_boxes,
    explain_correction,
    explain_kstar,
    explain_neighbors,
)
from hornbeam.show.texts.rules.rule_explanation import explain_rules
from hornbeam.show.texts.svm.svm_text import explain_margin
from hornbeam.show.texts.trees.indented import prediction_text
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, branch, printable, short_number, width

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.table import Table

WHOLE = 1.0 - 1e-9  # a row of at least this weight is not divided


def explain(model: Any, table: Table, row: int = 0) -> str:  # noqa: ANN401 - a Tree, or an estimator with one
    """Write why one row of a table gets its prediction.

    Parameters
    ----------
    model : model or fitted estimator
        What predicts; for an estimator, its `model_`. The explanation shows for a linear model what each term adds; for
        a forest or boosting, what each column adds along the paths; for an ensemble, every member; for neighbors, the
        nearest rows, and what each column adds to their distance; for K*, the rows with the most weight; for exemplars,
        the nearest boxes; for a model corrected by rows, these too; for a support vector machine, what terms or support
        vectors add. The parts add up to the prediction (for boosted classes, to their scores).
    table : Table
        Rows with the model's features.
    row : int
        The index of the row.

    Returns
    -------
    str
        One line per condition on the path to the leaf, then the prediction of the leaf; for a leaf with an equation,
        what each term adds. A row that is divided is explained by its largest fraction. For rules, the one that
        decided, with the row's values, and the rules that it is an exception to.

    Examples
    --------
    >>> import hornbeam
    >>> cpu = hornbeam.read("cpu")
    >>> tree = hornbeam.M5Regressor(compat="weka").fit(cpu)
    >>> print(hornbeam.show.explain(tree, cpu, 0))
    row 1:
      CHMIN > 7.5
      MMAX <= 28000 or missing
      MMAX <= 13240 or missing
      CACH > 81.5
    so class = 279.21, by the equation of 4 training rows:
       83.002  intercept
      -138.21  -1.1057 * MYCT: 125
       2.2004  0.008595 * MMIN: 256
       18.322  0.003054 * MMAX: 6000
       204.66  0.79946 * CACH: 256
      -39.205  -2.4503 * CHMIN: 16
       148.44  1.1597 * CHMAX: 128
    """
    found = getattr(model, "model_", model)
    if not 0 <= row < table.n_rows:
        raise IndexError(f"there is no row {row}; the table has rows 0 to {table.n_rows - 1}")
    for kind, explained in EXPLAINED.items():
        if isinstance(found, kind):
            return explained(found, table, row)
    known = ", ".join(kind.__name__ for kind in EXPLAINED)
    raise TypeError(f"cannot explain a {type(found).__name__}; expected one of {known}, or a fitted estimator with one")


def _tree(tree: Tree, table: Table, row: int) -> str:
    """The conditions on the path to the leaf, and its prediction."""
    one = align(tree.schema, table.take(np.array([row])))
    leaf = int(tree.apply(one)[0])
    _, nodes, weights = tree.decision_path(one)
    weight = float(weights[nodes == leaf].max())
    lines = [f"row {row + 1}:", *(f"  {words}" for words in _way(tree, leaf))]
    if weight < WHOLE:
        lines.append(f"  with {100 * weight:.0f}% of its weight; the rest takes other branches")
    return "\n".join([*lines, *_prediction(tree, leaf, one)])


def _corrected(model: CorrectedModel, table: Table, row: int) -> str:
    return explain_correction(model, explain(model.base, table, row), table, row)


def _discretized(model: DiscretizedModel, table: Table, row: int) -> str:
    """Why the classifier gives each interval its probability, and the weighted mean of the intervals."""
    one = table.take(np.array([row]))
    probabilities = model.classifier.predict_proba(one)[0]
    target = model.classifier.schema.target_column
    assert isinstance(target, Nominal)
    parts = [
        (
            short_number(p * value, FIGURES),
            f"{short_number(p, FIGURES)} * {short_number(value, FIGURES)}: {name}",
        )
        for p, value, name in zip(probabilities.tolist(), model.values.tolist(), target.categories, strict=True)
        if p > 0
    ]
    longest = max((width(product) for product, _ in parts), default=0)
    whole = short_number(float(model.predict_codes(one)[0]), FIGURES)
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    return "\n".join(
        [
            explain(model.classifier, table, row),
            "probability of each interval * its number:",
            *(f"  {product.rjust(longest)}  {words}" for product, words in parts),
            f"so {name} = {whole}" + (", the sum" if parts else ", because no interval has a probability"),
        ]
    )


def _together(model: Ensemble, table: Table, row: int) -> str:
    """What each member predicts, and what they predict together."""
    one = table.take(np.array([row]))
    target, found = model.schema.target_column, model.predict_codes(one)[0]
    whole = target.categories[found] if isinstance(target, Nominal) else short_number(float(found), FIGURES)
    lines = [f"row {row + 1}:"]
    for number, member in enumerate(model.members, start=1):
        lines += [f"member {number}", *explain(member, table, row).split("\n")[1:]]
    how = "mean" if model.decide == "mean" else "most votes"
    name = printable(target.name, NAME_LIMIT)
    return "\n".join([*lines, f"together {name} = {whole}, the {how} of {len(model)} members"])


def _way(tree: Tree, node: int) -> list[str]:
    words: list[str] = []
    while tree.parent[node] >= 0:
        words.append(str(branch(tree, node)))
        node = int(tree.parent[node])
    return words[::-1] or ["all rows"]


def _prediction(tree: Tree, leaf: int, one: Table) -> list[str]:
    target = tree.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    (rows,) = amounts([float(tree.weight[leaf])])
    if tree.intercept is None:
        return [f"so {name} = {prediction_text(tree, leaf)}, as for {rows} training rows"]
    lines = added_lines(float(tree.intercept[leaf]), terms_of(tree, leaf), tree.schema, one)
    whole = short_number(float(tree.predict_codes(one)[0]), FIGURES)
    return [f"so {name} = {whole}, by the equation of {rows} training rows:", *lines]


EXPLAINED: dict[type, Callable[[Any, Table, int], str]] = {
    Tree: _tree,
    RuleList: explain_rules,
    LinearModel: explain_equation,
    Forest: explain_forest,
    Ensemble: _together,
    Instances: explain_neighbors,
    KStarModel: explain_kstar,
    Exemplars: explain_boxes,
    SVM: explain_margin,
    CorrectedModel: _corrected,
    DiscretizedModel: _discretized,
}
