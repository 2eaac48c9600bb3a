"""Trees as PMML: a TreeModel for rows that take one path, and expressions for rows that are divided.

The order of the branches handles missing values: their branch is the last one, and takes all other rows. So one file
can combine all policies for missing values. Rows that are divided among branches get the mean of the nodes where their
fractions end, by computed fields. PMML's own `weightedConfidence` is not used: it breaks ties differently, cannot be
combined with surrogate splits, and JPMML-Evaluator does not support it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.core.base.tolerance import TIE
from hornbeam.export.pmml_writer.decisions import greatest
from hornbeam.export.pmml_writer.elements import (
    Expression,
    both,
    call,
    choose,
    constant,
    either,
    element,
    number,
    total,
)
from hornbeam.export.pmml_writer.equations import chosen_equation, equation
from hornbeam.export.pmml_writer.fields import FALSE, TRUE, Condition, Outputs, compound, output
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, LEAST_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.pmml_writer.fields import Fields

ONE, ZERO, NONE = constant(1.0), constant(0.0), constant(-1.0)


class Split(NamedTuple):
    """A split: its branches with their conditions, when its value is missing, and whether every value has a branch."""

    branches: list[tuple[int, list[Condition]]]
    missing: Expression
    is_total: bool


def split_of(fields: Fields, plain: Sequence[Any]) -> Split:
    """Return the branches of a split; none holds where the value is missing."""
    kind = plain[0]
    if kind in (CODES, CODE_SETS):
        column, count = plain[1], len(fields.columns[plain[1]]["categories"])
        if kind == CODES:
            to = [plain[2][code] if code < len(plain[2]) else -1 for code in range(count)]
        else:
            listed = dict(zip(plain[3], plain[4], strict=True))
            to = [listed.get(code, plain[2]) for code in range(count)]
        codes: dict[int, list[int]] = {}
        for code, branch in enumerate(to):
            codes.setdefault(branch, []).append(code)
        found = [(branch, [fields.is_in(column, each)]) for branch, each in sorted(codes.items()) if branch >= 0]
        return Split(found, fields.missing(column), min(to, default=0) >= 0)
    if kind == CUTS:
        column, sides, cuts = plain[1], plain[2], plain[3]
        compared: Callable[[str, float], Condition] = lambda sign, cut: fields.compared(column, sign, cut)  # noqa: E731
        missing = fields.missing(column)
    else:
        sides, cuts = plain[1], plain[2]
        terms = [call("*", constant(float(c)), fields.value(i)) for i, c in zip(plain[3], plain[4], strict=True)]
        summed = terms[0]
        for term in terms[1:]:
            summed = call("+", summed, term)
        name = fields.derived(summed).field
        compared = lambda sign, cut: Condition(name, sign, cut)  # noqa: E731
        missing = either([fields.missing(i) for i in plain[3]])
    low, high = ("<=", ">") if sides & 1 else ("<", ">=")
    last, branches = len(cuts), []
    for interval in range(last + 1):
        parts = [compared(high, float(cuts[interval - 1]))] if interval > 0 else []
        parts += [compared(low, float(cuts[interval]))] if interval < last else []
        branches.append((last - interval if sides >> 1 else interval, parts))
    return Split(branches, missing, True)


class TreeWriter:
    """A tree of a program, and the fields of the file that it becomes part of."""

    def __init__(self, fields: Fields, plain: dict[str, Any]) -> None:
        self.fields, self.plain = fields, plain
        self.first, self.children, self.missing = plain["first"], plain["children"], plain["missing"]
        self.splits = [split_of(fields, split) for split in plain["splits"]]

    def shares(self, node: int) -> dict[int, float]:
        """Return the branches among which a row without a value is divided, with their fractions."""
        if self.first[node] < 0 or self.missing[node] != FRACTIONAL:
            return {}
        known = [(b, float(self.plain["share"][self.first[node] + b])) for b in range(self.children[node])]
        return {branch: share for branch, share in known if share > LEAST_SHARE}

    def splits_of(self, node: int) -> list[Split]:
        """Return the split of a node and its surrogates."""
        others = self.plain["surrogates"][node] if self.plain.get("surrogates") else ()
        return [self.splits[self.plain["split"][node]], *(self.splits[each] for each in others)]

    def can_divide(self) -> bool:
        """Whether a row may be divided; with equations, whether a fraction of a row may be lost."""
        least = 1 if "equations" in self.plain else 2
        return any(len(self.shares(node)) >= least for node in range(len(self.first)))

    def value(self, node: int) -> list[float]:
        """Return the outputs at a node."""
        plain, pseudo = self.plain, [float(each) for each in self.plain["pseudo"]]
        source = plain["source"][node] if "source" in plain else node
        whole = float(plain["weight"][source]) + float(plain["pseudoTotal"]) if "weight" in plain else 1.0
        value = plain["value"][source]
        return [(float(value[k]) + p) / whole if whole > 0 else 1 / len(pseudo) for k, p in enumerate(pseudo)]

    # ---- rows that take one path ----

    def last_branch(self, node: int) -> int:
        """Return the branch that rows without a value take as a whole; -1: none.

        Rows that are divided get their outputs elsewhere, and take the branch of most rows here.
        """
        shares = self.shares(node)
        return max(shares, key=shares.__getitem__) if shares else max(self.missing[node], -1)

    def predicate(self, node: int, branch: int) -> str:
        """Return when a row takes a branch."""
        splits = self.splits_of(node)
        of_branch = [[conditions for to, conditions in split.branches if to == branch] for split in splits]
        parts = [compound("or", [_all(each) for each in found]) if found else FALSE for found in of_branch]
        if len(splits) == 1:
            return parts[0]
        unknown = [part for part in parts[:-1] if FALSE not in part and "isNotMissing" not in part]
        if all(split.is_total for split in splits) and len(unknown) == len(parts) - 1:
            return compound("surrogate", parts)  # every part but the last is unknown if its value is missing
        chosen = self.fields.named(self.branch(node))
        return element("SimplePredicate", field=chosen.field, operator="equal", value=number(float(branch)))

    def nodes(self, end: Callable[[int], tuple[str, str]], predicate: str = TRUE, node: int = 0) -> str:
        """Return a node and those below it; `end` gives the attributes and the content of a node where rows end."""
        inner: list[str] = []
        if self.first[node] >= 0:
            last = self.last_branch(node)
            order = [b for b in range(self.children[node]) if b != last] + ([last] if last >= 0 else [])
            for branch in order:
                test = TRUE if branch == last else self.predicate(node, branch)
                if test != FALSE:
                    inner.append(self.nodes(end, test, self.first[node] + branch))
        score, content = end(node) if self.may_end(node) else (None, "")
        scored = {} if score is None else {"score": score}
        return element("Node", predicate, content, *inner, id=str(node), **scored)

    def may_end(self, node: int) -> bool:
        """Whether a whole row may end at a node."""
        return self.first[node] < 0 or (self.missing[node] < 0 and len(self.shares(node)) == 0)

    # ---- rows that are divided ----

    def branch(self, node: int) -> Expression:
        """Return the branch that a row takes at a node; -1 where none is known."""
        found: Expression = NONE
        for split in reversed(self.splits_of(node)):
            otherwise = self.fields.derived(found)
            known, branches = otherwise, split.branches
            if split.is_total and branches:
                known, branches = constant(float(branches[-1][0])), branches[:-1]
            for to, conditions in reversed(branches):
                known = choose(both([each.test() for each in conditions]), constant(float(to)), known)
            found = choose(split.missing, otherwise, known) if split.branches else otherwise
        return self.fields.derived(found)

    def ends(self) -> list[tuple[int, Expression]]:
        """Return every node where a row or a fraction of it may end, with the fraction of the row that ends there."""
        fields, ends = self.fields, []
        pending: list[tuple[int, Expression]] = [(0, ONE)]
        while pending:
            node, weight = pending.pop()
            if self.first[node] < 0:
                ends.append((node, weight))
                continue
            branch, shares = self.branch(node), self.shares(node)
            if self.may_end(node):
                ends.append((node, fields.derived(_times(weight, choose(_is(branch, -1), ONE, ZERO)))))
            for to in range(self.children[node] - 1, -1, -1):
                alone = float(to == self.missing[node]) if self.missing[node] >= 0 else shares.get(to, 0.0)
                part = choose(_is(branch, to), ONE, choose(_is(branch, -1), constant(alone), ZERO) if alone else ZERO)
                pending.append((self.first[node] + to, fields.derived(_times(weight, part))))
        return ends

    def divided(self) -> tuple[Expression, Outputs]:
        """Return the number of nodes where fractions of a row end, and the outputs of rows with several."""
        fields, ends = self.fields, self.ends()
        count = fields.derived(total([choose(call("greaterThan", weight, ZERO), ONE, ZERO) for _, weight in ends]))
        whole = fields.derived(total([weight for _, weight in ends]))
        columns = []
        for k in range(len(self.plain["pseudo"])):
            terms = [call("*", weight, constant(self.value(node)[k])) for node, weight in ends]
            columns.append(fields.derived(call("/", fields.derived(total(terms)), whole)))
        return count, Outputs(columns, greatest(fields, columns, TIE) if "label" in self.plain else None)


def _is(branch: Expression, number_: int) -> Expression:
    return call("equal", branch, constant(float(number_)))


def _times(weight: Expression, part: Expression) -> Expression:
    return part if weight == ONE else call("*", weight, part)


def _all(conditions: list[Condition]) -> str:
    return compound("and", [each.predicate() for each in conditions]) if conditions else TRUE


def tree_model(
    schema: str, outputs: Sequence[str], nodes: str, *, classes: bool, strategy: str = "LastPrediction", local: str = ""
) -> str:
    """Return a TreeModel."""
    return element(
        "TreeModel",
        schema,
        element("Output", *outputs) if outputs else "",
        local,
        nodes,
        functionName="classification" if classes else "regression",
        missingValueStrategy="none",
        noTrueChildStrategy=f"return{strategy}",
        splitCharacteristic="multiSplit",
    )


def distribution(values: Sequence[str], shares: Sequence[float]) -> str:
    """Return the probabilities of the classes at a node."""
    return "".join(
        element("ScoreDistribution", value=value, recordCount=number(share), probability=number(share))
        for value, share in zip(values, shares, strict=True)
    )


def member_model(
    fields: Fields,
    nodes: Callable[[Callable[[Sequence[Any], int], tuple[str, str]]], str],
    size: int,
    strategy: str = "LastPrediction",
) -> Outputs:
    """Add a model of constant results to the models before the last one; `size` classes, 0 for a number."""
    if not size:
        name = fields.fresh()
        model = tree_model(
            fields.schema(),
            [output(name, "predictedValue")],
            nodes(lambda outputs, _: (number(float(outputs[0])), "")),
            classes=False,
            strategy=strategy,
        )
        return Outputs(fields.segment(model, [name]))
    values = [str(k) for k in range(size)]

    def end(outputs: Sequence[Any], label: int) -> tuple[str, str]:
        shares = [float(each) for each in outputs]
        nothing = distribution(["-1"], [1.0]) if not sum(shares) > 0 else ""
        return str(label), distribution(values, shares) + nothing

    names = [fields.fresh() for _ in values]
    label = fields.fresh()
    listed = [output(name, "probability", value=value) for name, value in zip(names, values, strict=True)]
    listed.append(output(label, "predictedValue"))
    model = tree_model(fields.schema(), listed, nodes(end), classes=True, strategy=strategy)
    *columns, of_label = fields.segment(model, [*names, label])
    return Outputs(columns, of_label)


def tree_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Add a tree to the models before the last one, and return its outputs."""
    writer = TreeWriter(fields, plain)
    if "equations" in plain:
        return _model_tree(fields, writer)
    size = len(plain["pseudo"]) if "label" in plain else 0

    def nodes(end: Callable[[Sequence[Any], int], tuple[str, str]]) -> str:
        return writer.nodes(lambda node: end(writer.value(node), plain["label"][node] if size else -1))

    whole = member_model(fields, nodes, size)
    if not writer.can_divide():
        return whole
    count, divided = writer.divided()
    several = call("greaterThan", count, ONE)
    columns = [
        fields.derived(choose(several, one, other)) for one, other in zip(divided.columns, whole.columns, strict=True)
    ]
    if divided.label is None or whole.label is None:
        return Outputs(columns)
    return Outputs(columns, fields.derived(choose(several, divided.label, whole.label)))


def _model_tree(fields: Fields, writer: TreeWriter) -> Outputs:
    """Add a model tree: a tree that gives the number of a node, and the equations of all nodes."""
    equations: list[dict[str, Any]] = writer.plain["equations"]
    if writer.can_divide():
        terms = [call("*", weight, equation(fields, equations[node])) for node, weight in writer.ends()]
        return Outputs([fields.derived(total(terms))])
    ends = {node: equations[node] for node in range(len(writer.first)) if writer.may_end(node)}
    which = member_model(fields, lambda end: writer.nodes(lambda node: end([node], -1)), 0)
    return chosen_equation(fields, which.columns[0], ends)
