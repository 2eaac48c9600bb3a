"""`hornbeam.show.why`: the decision log of a tree, with the textbook arithmetic behind every step.

Reads the records of `model/trees/trace.py`. Entropies, variances and gains are computed again from the nodes, and a sum
is printed only if it gives the recorded gain: rows with missing values count differently, and the log notes it. For a
tree that kept its runner-up or surrogate splits, these are printed without records too.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._display import Text
from hornbeam.core.base.tolerance import AVERAGE_SLACK
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.trees.criterion import DEVIATION, ENTROPY, impurity_of, standard_deviation
from hornbeam.model.trees.split import CODE_SETS
from hornbeam.model.trees.trace import (
    BELOW_AVERAGE,
    CHOSEN,
    COLLAPSED,
    INSIGNIFICANT,
    KEPT,
    MADE_LEAF,
    NO_GAIN,
    NO_SPLIT,
    OUTSCORED,
    RAISED,
    Trace,
)
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.trees.indented import NO_PREDICTION, prediction_text
from hornbeam.show.texts.trees.node_notes import remarks, score_text
from hornbeam.show.texts.wording import (
    NAME_LIMIT,
    NOTHING,
    amounts,
    branch,
    date,
    number,
    path,
    printable,
    split_words,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

VERDICTS = {
    NO_GAIN: "no gain",
    BELOW_AVERAGE: "gain below average",
    OUTSCORED: "outscored",
    CHOSEN: "chosen",
    INSIGNIFICANT: "not significant",
}
MOST_BRANCHES = 12  # with more, the sum is not written out
LINE_LIMIT = 100  # sums and lists longer than this are broken into lines

# What pruning compares, if not expected errors.
WHAT_IS_COMPARED = {
    "reduced-error": "errors on the held-out rows",
    "description-length": "bits to encode the tree and the classes of its rows",
    "complexity-factor": "root mean squared errors times (n + 1) / (n - 1), times the weight",
    "chi-square": "a subtree stays if any of its splits has a small p-value",
    "critical-value": "a subtree stays if any of its splits scores enough",
}


def why(trace: object) -> Text:
    """Write how a tree was learned: the candidates of each node, the winner, and each pruning step.

    Parameters
    ----------
    trace : Trace, Tree or fitted estimator
        What learning with ``keep_trace=True`` keeps; for an estimator, its `trace_`. Without it, a tree with runner-up
        splits (``keep_alternatives``) or surrogates, or an estimator of one: these are then written.

    Returns
    -------
    str
        Lines without a newline at the end.
    """
    found = trace if isinstance(trace, Trace) else getattr(trace, "trace_", None)
    if not isinstance(found, Trace):
        tree = getattr(trace, "model_", trace)
        if isinstance(tree, Tree) and (tree.alternatives is not None or tree.surrogates is not None):
            return Text("\n".join(_splits(tree)).rstrip("\n"))
        raise TypeError(f"a {type(trace).__name__} holds no decisions; learn with keep_trace=True")
    lines = ["GROWING", ""]
    for node in _walk(found.grown):
        lines += _growing(found, node)
    lines += _pruning(found)
    return Text("\n".join(lines).rstrip("\n"))


def _splits(tree: Tree) -> list[str]:
    """Each node, its split, and its runner-up splits and surrogates."""
    lines = ["SPLITS", ""]
    for node in _walk(tree):
        lines += [f"Node {node}: {path(tree, node)}", f"  {_node(tree, node)}"]
        if tree.n_children[node] > 0:
            score = score_text(float(tree.splits.score[tree.split[node]]))
            lines.append(f"  Split: {split_words(tree, int(tree.split[node]))}{f', score {score}' if score else ''}")
            lines += [f"  {line}" for line in remarks(tree, node)]
        else:
            lines.append(f"  A leaf, {prediction_text(tree, node)}.")
        lines.append("")
    return lines


def _walk(tree: Tree) -> list[int]:
    """Nodes in the order in which they are drawn."""
    nodes: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        waiting.extend(range(first + count - 1, first - 1, -1) if count else ())
    return nodes


def _growing(trace: Trace, node: int) -> list[str]:
    tree = trace.grown
    records = np.arange(*np.searchsorted(trace.node, [node, node + 1]))  # records are in node order
    lines = [f"Node {node}: {path(tree, node)}", f"  {_node(tree, node)}"]
    if len(records) == 0:
        return [*lines, f"  {_leaf_reason(tree, node)}", ""]
    lines += ["", *(f"  {line}" for line in _candidates(trace, records)), *_without_split(trace, records)]
    average = float(trace.average_gain[node])
    if not math.isnan(average) and not _ranked_by_gain(trace, records):
        lines.append(
            f"  Average gain {average:.4f}: a column competes if its gain is at least "
            f"{average:.4f} - {AVERAGE_SLACK} = {average - AVERAGE_SLACK:.4f}."
        )
    chosen = records[trace.verdict[records] == CHOSEN]
    if len(chosen) == 0:
        return [*lines, f"  No column is good enough: a leaf, {_label(tree, node)}.", ""]
    lines.append(f"  {_winner(trace, records, int(chosen[0]))}")
    if tree.n_children[node] > 0:
        lines += _arithmetic(trace, node, int(chosen[0]))
        if tree.alternatives is not None or tree.surrogates is not None:
            lines += [f"  {line}" for line in remarks(tree, node)]
    return [*lines, ""]


def _node(tree: Tree, node: int) -> str:
    """Write the classes at a node, or its mean, and its impurity."""
    target = tree.schema.target_column
    impurity = impurity_of(tree)
    mixed = f"{impurity.name} {impurity.of(tree.value[node]):.4f}{impurity.unit}"
    if not isinstance(target, Nominal):
        weight, mean = amounts([float(tree.weight[node])])[0], number(float(tree.value[node, 1]))
        if tree.weight[node] <= NOTHING:
            return f"weight {weight}: no rows"
        sd = "" if impurity is DEVIATION else f", sd {number(standard_deviation(tree.value[node]))}"
        return f"weight {weight}: mean {mean}{sd}; {mixed}"
    texts = amounts([float(tree.weight[node]), *tree.value[node].tolist()])
    parts = [
        f"{printable(category, NAME_LIMIT)} {text}"
        for category, text, value in zip(target.categories, texts[1:], tree.value[node], strict=True)
        if value > NOTHING
    ]
    return f"weight {texts[0]}: {', '.join(parts) or 'no rows'}; {mixed}"


def _leaf_reason(tree: Tree, node: int) -> str:
    if tree.weight[node] <= NOTHING:
        return f"No training row comes here: a leaf, {_label(tree, node)}."
    if tree.error[node] <= NOTHING:
        kind = "class" if isinstance(tree.schema.target_column, Nominal) else "value"
        return f"Only one {kind}: a leaf, {_label(tree, node)}."
    deepest, depth, above = tree.recipe.get("max_depth"), 0, node
    while above > 0:
        above, depth = int(tree.parent[above]), depth + 1
    if deepest is not None and depth >= int(deepest):
        return f"The maximum depth, {depth}: a leaf, {_label(tree, node)}."
    return f"Too little weight to split, or no column left: a leaf, {_label(tree, node)}."


def _label(tree: Tree, node: int) -> str:
    predicted = prediction_text(tree, node)
    return "without a prediction" if predicted == NO_PREDICTION else predicted


def _candidates(trace: Trace, records: NDArray[np.intp]) -> list[str]:
    """One line per column: the split, its gain and what it is ranked by."""
    charged = bool((trace.charge[records] > 0).any())
    measure = _measure(trace, records)
    heads = ["column", "split"]
    heads += ["raw gain", "charge"] if charged else []
    heads += {"gain": ["gain"], "gain ratio": ["gain", "split info", "gain ratio"], "score": ["gain", "score"]}[measure]
    heads.append("")
    rows = [heads]
    for record in records[trace.verdict[records] != NO_SPLIT].tolist():
        gain, charge = float(trace.gain[record]), float(trace.charge[record])
        verdict = int(trace.verdict[record])
        if verdict == OUTSCORED and gain <= NOTHING:
            verdict = NO_GAIN
        row = [printable(trace.grown.schema.columns[int(trace.column[record])].name, NAME_LIMIT), _split(trace, record)]
        row += [_decimals(gain + charge), _decimals(charge) if charge > 0 else ""] if charged else []
        row.append(_decimals(gain))
        ranked = verdict != NO_GAIN  # a column without gain is not ranked
        further = {"gain": (), "gain ratio": (trace.split_information, trace.score), "score": (trace.score,)}[measure]
        row += [_decimals(float(values[record])) if ranked else "" for values in further]
        rows.append([*row, VERDICTS[verdict]])
    if len(rows) == 1:
        return []
    widths = [max(width(row[i]) for row in rows) for i in range(len(heads))]
    return [_row(row, widths).rstrip() for row in rows]


def _without_split(trace: Trace, records: NDArray[np.intp]) -> list[str]:
    """Name the columns without a possible split."""
    columns = trace.grown.schema.columns
    names = [printable(columns[c].name, NAME_LIMIT) for c in trace.column[records[trace.verdict[records] == NO_SPLIT]]]
    if not names:
        return [""]
    text = f"No split with enough rows in two branches: {', '.join(names)}."
    return ["", *textwrap.wrap(text, LINE_LIMIT, initial_indent="  ", subsequent_indent="    ", break_long_words=False)]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names and verdicts left-aligned, numbers right-aligned."""
    out = []
    for i, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
        blanks = " " * (wide - width(cell))
        out.append(cell + blanks if i in (0, 1, len(cells) - 1) else blanks + cell)
    return "  ".join(out)


def _ranked_by_gain(trace: Trace, records: NDArray[np.intp]) -> bool:
    gain, score = trace.gain[records], trace.score[records]
    known = ~np.isnan(score)
    return np.array_equal(gain[known], score[known])


def _measure(trace: Trace, records: NDArray[np.intp]) -> str:
    """What candidates are ranked by."""
    if _ranked_by_gain(trace, records):
        return "gain"
    return "score" if np.isnan(trace.split_information[records]).all() else "gain ratio"


def _decimals(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}"


def _split(trace: Trace, record: int) -> str:
    column = trace.grown.schema.columns[int(trace.column[record])]
    cut = float(trace.cut[record])
    if isinstance(column, Nominal) and not column.ordered:
        if math.isnan(cut):
            one_apart = bool((trace.grown.splits.kind == CODE_SETS).any())
            return f"{'one of ' if one_apart else ''}{len(column.categories)} categories"
        return f"{printable(column.categories[int(cut)], NAME_LIMIT)} against the rest"
    raw = float(trace.gain[record] + trace.charge[record])
    if math.isnan(cut) or (int(trace.verdict[record]) == NO_GAIN and raw <= NOTHING):
        return ""  # no cut has a gain, so there is no best one
    if isinstance(column, Nominal):
        words = printable(column.categories[min(max(math.floor(cut), 0), len(column.categories) - 1)], NAME_LIMIT)
    elif isinstance(column, Numeric) and column.format is not None:
        words = printable(date(cut, column.format))
    else:
        words = number(cut)
    count = int(trace.n_cuts[record])
    return f"at {words}" + (f", best of {count} cuts" if count > 1 else "")


def _winner(trace: Trace, records: NDArray[np.intp], chosen: int) -> str:
    name = printable(trace.grown.schema.columns[int(trace.column[chosen])].name, NAME_LIMIT)
    measure = _measure(trace, records)
    rivals = records[trace.verdict[records] == OUTSCORED]
    if len(rivals) == 0:
        return f"{name} wins with {measure} {trace.score[chosen]:.4f}: no other column competes."
    second = rivals[int(np.argmax(trace.score[rivals]))]
    other = printable(trace.grown.schema.columns[int(trace.column[second])].name, NAME_LIMIT)
    equal = abs(trace.score[chosen] - trace.score[second]) <= NOTHING
    if equal:
        return f"{name} wins with {measure} {trace.score[chosen]:.4f}: {other} has the same, but is a later column."
    next_best = f"{other} is next with {trace.score[second]:.4f}"
    return f"{name} wins with the greatest {measure}, {trace.score[chosen]:.4f}: {next_best}."


def _arithmetic(trace: Trace, node: int, chosen: int) -> list[str]:
    """Write the gain of the winner as a sum over its branches, if that sum is the recorded gain."""
    tree = trace.grown
    first, count = int(tree.first_child[node]), int(tree.n_children[node])
    children = list(range(first, first + count))
    lines = [f"    {branch(tree, child)}: {_node(tree, child)}" for child in children[:MOST_BRANCHES]]
    if count > MOST_BRANCHES:
        lines.append(f"    and {count - MOST_BRANCHES} more branches")
    impurity = impurity_of(tree)
    before = impurity.of(tree.value[node])
    parts = tree.weight[children] / tree.weight[node]
    after = float(sum(part * impurity.of(tree.value[child]) for part, child in zip(parts, children, strict=True)))
    raw = float(trace.gain[chosen] + trace.charge[chosen])
    total = amounts([float(tree.weight[node]), *tree.weight[children].tolist()])
    gain = _gain(before, after, raw, float(tree.weight[node]), total[0])
    if gain is None:
        if abs(float(tree.weight[children].sum()) - float(tree.weight[node])) > NOTHING or _pieces(
            tree, node, children
        ):
            lines.append(
                "    (rows with a missing value are divided over the branches; the gain counts known rows only)"
            )
        return lines
    if count <= MOST_BRANCHES:
        terms = [
            f"{weight}/{total[0]} x {impurity.of(tree.value[child]):.4f}"
            for weight, child in zip(total[1:], children, strict=True)
            if tree.weight[child] > 0
        ]
        what = "information" if impurity is ENTROPY else impurity.name
        lines += _sum(f"    {what} after = {terms[0]}", terms[1:], f" = {after:.4f}")
    lines.append(f"    gain = {gain} = {raw:.4f}")
    charge = float(trace.charge[chosen])
    if charge > 0:
        lines.append(
            f"    charge for choosing among {int(trace.n_cuts[chosen])} cuts = "
            f"log2({int(trace.n_cuts[chosen])})/{total[0]} = {charge:.4f}, which leaves {float(trace.gain[chosen]):.4f}"
        )
    information = float(trace.split_information[chosen])
    if information > 0 and _measure(trace, np.array([chosen])) == "gain ratio":
        lines.append(
            f"    gain ratio = {float(trace.gain[chosen]):.4f} / {information:.4f} = {float(trace.score[chosen]):.4f}"
        )
    return lines


def _gain(before: float, after: float, raw: float, weight: float, total: str) -> str | None:
    """Write a recorded gain as a difference of means, of sums, or relative to the impurity before; else None."""
    slack = NOTHING * max(1.0, abs(raw))
    if abs(before - after - raw) <= slack:
        return f"{before:.4f} - {after:.4f}"
    if abs(weight * (before - after) - raw) <= slack:
        return f"{total} x ({before:.4f} - {after:.4f})"
    if before > 0 and abs((before - after) / before - raw) <= slack:
        return f"({before:.4f} - {after:.4f}) / {before:.4f}"
    return None


def _pieces(tree: Tree, node: int, children: list[int]) -> bool:
    """Whether rows were divided over several branches (with entropy, the only reason for a different gain)."""
    return int(tree.rows[children].sum()) > int(tree.rows[node]) or impurity_of(tree) is ENTROPY


def _sum(start: str, terms: Sequence[str], end: str) -> list[str]:
    lines = [start]
    for term in terms:
        if len(lines[-1]) + len(term) > LINE_LIMIT:
            lines.append(f"      + {term}")
        else:
            lines[-1] += f" + {term}"
    lines[-1] += end
    return lines


def _pruning(trace: Trace) -> list[str]:
    if len(trace.step_node) == 0:
        return ["PRUNING", "", "Nothing was pruned."]
    tree = trace.grown
    method = str(tree.recipe.get("prune"))
    by_threshold = _threshold_words(tree)
    compared = WHAT_IS_COMPARED.get(method, "expected errors")
    lines = [f"PRUNING (node numbers as above; {compared})", ""]
    moved: set[int] = set()  # nodes whose rows changed because a branch was raised
    for step, node in enumerate(trace.step_node.tolist()):
        action = int(trace.step_action[step])
        leaf, subtree = float(trace.step_leaf[step]), float(trace.step_subtree[step])
        raised = float(trace.step_branch[step])
        if by_threshold is not None and action != COLLAPSED:
            lines += [f"Node {node}: {path(tree, node)}", f"  {_as_a_leaf(tree, node)}"]
            lines += [f"  {by_threshold(subtree, leaf)}", f"  {'Made a leaf' if action == MADE_LEAF else 'Kept'}.", ""]
            continue
        errors = f"as a leaf {leaf:.4f}, as a subtree {subtree:.4f}"
        if action == COLLAPSED:
            errors = f"training errors {errors}"
        if not math.isnan(raised):
            errors += f", replaced by its largest branch {raised:.4f}"
        lines += [f"Node {node}: {path(tree, node)}"]
        if not moved.isdisjoint(_ancestors(tree, node)):
            lines.append("  (its rows have changed since a branch above was raised)")
        else:
            lines.append(f"  {_as_a_leaf(tree, node)}")
        unit = "bits" if method == "description-length" else "errors"
        lines += [f"  {errors}", f"  {_decision(action, leaf, subtree, raised, unit)}", ""]
        if action == RAISED:
            moved.add(node)
    return lines


def _threshold_words(tree: Tree) -> Callable[[float, float], str] | None:
    """How a method with a threshold writes its statistic and the threshold; None for the other methods."""
    method, threshold = tree.recipe.get("prune"), tree.recipe.get("prune_threshold")
    if method == "critical-value":
        return lambda found, needed: f"the best score here or below: {number(found)}; needed: {number(needed)}"
    if method != "chi-square":
        return None
    if threshold is not None:
        return lambda found, needed: f"the greatest chi-square here or below: {found:.4f}; needed: {needed:.4f}"
    return lambda found, needed: (
        f"the least p-value here or below: {math.exp(-found):.4g}; needed: {math.exp(-needed):.4g} or less"
    )


def _as_a_leaf(tree: Tree, node: int) -> str:
    if not isinstance(tree.schema.target_column, Nominal):
        (weight,) = amounts([float(tree.weight[node])])
        return f"weight {weight}, training error {number(float(tree.error[node]))} as a leaf"
    weight, wrong = amounts([float(tree.weight[node]), float(tree.error[node])])
    return f"weight {weight}, of which a leaf gets {wrong} wrong in training"


def _ancestors(tree: Tree, node: int) -> list[int]:
    above = []
    while tree.parent[node] >= 0:
        node = int(tree.parent[node])
        above.append(node)
    return above


def _decision(action: int, leaf: float, subtree: float, raised: float, unit: str) -> str:
    if action == COLLAPSED:
        return "Collapsed: in training, the subtree makes no fewer errors than a leaf."
    if action == MADE_LEAF:
        return f"Made a leaf: {_against(leaf, subtree, 'the subtree')}."
    if action == RAISED:
        return f"Replaced by its largest branch: {_against(raised, subtree, 'the subtree')}."
    assert action == KEPT
    others = [f"a leaf {leaf - subtree:.4f}"]
    if not math.isnan(raised):
        others.append(f"the largest branch {raised - subtree:.4f}")
    return f"Kept: {' and '.join(others)} {unit} more than the subtree."


def _against(error: float, other: float, name: str) -> str:
    if error <= other:
        return f"{error:.4f} is no more than {name}'s {other:.4f}"
    return f"{error:.4f} is only {error - other:.4f} more than {name}'s {other:.4f}"
