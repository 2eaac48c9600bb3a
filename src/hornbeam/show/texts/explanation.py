"""`hornbeam.show.explain`: why a row gets its prediction: the conditions on its path, and the equation at its end."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hornbeam._display import Text
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.files.members import KINDS

if TYPE_CHECKING:
    from hornbeam.data.table import Table

# The function that explains a prediction of a model of a kind, given the model, a table and a row. Its module is
# imported when a model needs it.
EXPLAINED: dict[str, str] = {
    "tree": "trees.tree_explanation.explain_tree",
    "rules": "rules.rule_explanation.explain_rules",
    "linear": "linear.linear_text.explain_equation",
    "forest": "forests.forest_text.explain_forest",
    "ensemble": "forests.forest_text.explain_ensemble",
    "instances": "neighbors.rows_explanation.explain_neighbors",
    "kstar": "neighbors.rows_explanation.explain_kstar",
    "exemplars": "neighbors.rows_explanation.explain_boxes",
    "svm": "svm.svm_text.explain_margin",
    "corrected": "neighbors.rows_explanation.explain_correction",
    "discretized": "linear.linear_text.explain_intervals",
    "local": "neighbors.rows_explanation.explain_local",
    "local-learner": "neighbors.rows_explanation.explain_local",
    "several": "several.explained",
    **dict.fromkeys(
        ("partition", "mixture", "concepts", "dendrogram", "graph-clusters", "projected"),
        "clusters.cluster_explanation.explain_cluster",
    ),
}


@takes_rows()
def explain(model: Any, table: Table, row: int = 0) -> Text:  # noqa: ANN401 - a Tree, or an estimator with one
    """Write why one row of a table gets its prediction.

    Parameters
    ----------
    model : model or fitted estimator
        What predicts; for an estimator, its `model_`. The explanation shows for a linear model what each term adds; for
        a forest or boosting, what each column adds along the paths; for an ensemble, every member; for neighbors, the
        nearest rows, and what each column adds to their distance; for K*, the rows with the most weight; for exemplars,
        the nearest boxes; for a model corrected by neighbors, these rows too; for a support vector machine, what terms
        or support vectors add; for local models, the rows with the most weight; for clusters, the values of the row
        beside those of its cluster. The parts add up to the prediction (for boosted classes, to their scores).
    table : Table
        Rows with the model's features.
    row : int
        The index of the row.

    Returns
    -------
    Text
        A `str` that shows its lines at a prompt and in notebooks. One line per condition on the path to the leaf, then
        the prediction of the leaf; for a leaf with an equation, what each term adds. A row that is divided is explained
        by its largest fraction. For rules, the one that decided, with the row's values, and the rules that it is an
        exception to.

    Examples
    --------
    >>> import hornbeam
    >>> cpu = hornbeam.read("cpu")
    >>> tree = hornbeam.M5Regressor(compat="weka").fit(cpu)
    >>> print(hornbeam.show.explain(tree, cpu, 0))
    row 1:
      CHMIN > 7.5: 16
      MMAX <= 28000 or missing: 6000
      MMAX <= 13240 or missing: 6000
      CACH > 81.5: 256
    so class = 279.21, by the equation of 4 training rows:
       83.002  intercept
      -138.21  -1.1057 * MYCT: 125
       2.2004  0.008595 * MMIN: 256
       18.322  0.003054 * MMAX: 6000
       204.66  0.79946 * CACH: 256
      -39.205  -2.4503 * CHMIN: 16
       148.44  1.1597 * CHMAX: 128
    """
    model = getattr(model, "model_", model)
    if not 0 <= row < table.n_rows:
        msg = f"there is no row {row}; the table has rows 0 to {table.n_rows - 1}"
        raise IndexError(msg)
    function = EXPLAINED.get(getattr(model, "KIND", ""))
    if function is None:
        known = ", ".join(KINDS[kind][1].rpartition(".")[2] for kind in EXPLAINED)
        msg = f"cannot explain a {type(model).__name__}; expected one of {known}, or a fitted estimator with one"
        raise TypeError(msg)
    module, _, name = function.rpartition(".")
    return Text(getattr(import_module(f"hornbeam.show.texts.{module}"), name)(model, table, row))
