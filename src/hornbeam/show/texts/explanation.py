"""`hornbeam.show.explain`: why a row gets its answer: the conditions on its way, and the equation where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.align import align
from hornbeam.model.corrected import CorrectedModel
from hornbeam.model.ensemble import Ensemble
from hornbeam.model.equation import terms_of
from hornbeam.model.instances import Instances
from hornbeam.model.rule import RuleList
from hornbeam.model.svm import SVM
from hornbeam.model.tree import Tree
from hornbeam.show.texts import corrected_text
from hornbeam.show.texts.indented import answer
from hornbeam.show.texts.instances_text import explain_neighbours
from hornbeam.show.texts.linear_text import FIGURES, term_words
from hornbeam.show.texts.rule_explanation import explain_rules
from hornbeam.show.texts.svm_text import explain_margin
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, branch, printable, short_number, width

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.linear import Term

WHOLE = 1.0 - 1e-9  # a row of at least this weight is in one piece


def explain(model: Any, table: Table, row: int = 0) -> str:  # noqa: ANN401 - a Tree, or an estimator with one
    """Write why one row of a table gets its answer from a tree or a list of rules.

    Parameters
    ----------
    model : Tree, RuleList, Ensemble of those, Instances, CorrectedModel, SVM, or fitted estimator
        What answers; of an estimator, its `model_`. Of an ensemble, every member is told; of kept rows, those nearest,
        and what each column adds to their distance; of a model put right by rows, these too; of a support vector
        machine, what terms or support vectors add.
    table : Table
        Rows with the model's features.
    row : int
        Which row, from 0.

    Returns
    -------
    str
        A line a condition on the way to the leaf, then the leaf's answer; of a leaf with an equation, what each term
        adds. A row in pieces is told by the way of its largest piece. Of rules, the one that decided, with the row's
        values, and the rules that it is an exception to.

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
    tree = getattr(model, "model_", model)
    if not isinstance(tree, Tree | RuleList | Ensemble | Instances | CorrectedModel | SVM):
        msg = f"cannot explain a {type(tree).__name__}; expected a Tree, a RuleList or a fitted estimator with one"
        raise TypeError(msg)
    if not 0 <= row < table.n_rows:
        msg = f"there is no row {row}; the table has rows 0 to {table.n_rows - 1}"
        raise IndexError(msg)
    if isinstance(tree, CorrectedModel):
        return corrected_text.explain(tree, explain(tree.base, table, row), table, row)
    if isinstance(tree, RuleList):
        return explain_rules(tree, table, row)
    if isinstance(tree, Instances):
        return explain_neighbours(tree, table, row)
    if isinstance(tree, SVM):
        return explain_margin(tree, table, row)
    if isinstance(tree, Ensemble):
        return _together(tree, table, row)
    one = align(tree.schema, table.take(np.array([row])))
    leaf = int(tree.apply(one)[0])
    _, nodes, weights = tree.decision_path(one)
    weight = float(weights[nodes == leaf].max())
    lines = [f"row {row + 1}:", *(f"  {words}" for words in _way(tree, leaf))]
    if weight < WHOLE:
        lines.append(f"  with {100 * weight:.0f}% of its weight; other pieces go other ways")
    return "\n".join([*lines, *_answer(tree, leaf, one)])


def _together(model: Ensemble, table: Table, row: int) -> str:
    """What each member says, and what they say together."""
    one = table.take(np.array([row]))
    target, found = model.schema.target_column, model.predict(one)[0]
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
    return words[::-1] or ["all rows come here"]


def _answer(tree: Tree, leaf: int, one: Table) -> list[str]:
    target = tree.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    (rows,) = amounts([float(tree.weight[leaf])])
    if tree.intercept is None:
        return [f"so {name} = {answer(tree, leaf)}, as {rows} training rows"]
    told = [(short_number(float(tree.intercept[leaf]), FIGURES), "intercept")]
    told += [_added(term, tree, one) for term in terms_of(tree, leaf)]
    room = max(width(figure) for figure, _ in told)
    lines = [f"  {figure.rjust(room)}  {words}" for figure, words in told]
    whole = short_number(float(tree.predict(one)[0]), FIGURES)
    return [f"so {name} = {whole}, by the equation of {rows} training rows:", *lines]


def _added(term: Term, tree: Tree, one: Table) -> tuple[str, str]:
    """What a term adds for a row, and how that comes about."""
    column = term.factors[0].column
    given = one.columns[column][0]
    nominal = isinstance(tree.schema.columns[column], Nominal)
    value = float(term.values(one)[0])
    words = f"{short_number(term.coefficient, FIGURES)} * {term_words(term, tree.schema)}"
    if given < 0 if nominal else np.isnan(given):
        words += f", missing: {short_number(value, FIGURES)}"
    else:
        words += f": {('no', 'yes')[int(value)] if nominal else short_number(value, FIGURES)}"
    return short_number(term.coefficient * value, FIGURES), words
