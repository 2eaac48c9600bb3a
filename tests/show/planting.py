"""Trees built by hand: from nested Python, and from the classic text itself, to ask for text -> tree -> text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, SUMS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, STOP, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Leaf:
    """`counts`: class weights; of a numeric target weight, mean and squared error."""

    counts: list[float]
    label: int | None = None  # None: the majority


@dataclass
class Other:
    """A surrogate or runner-up split."""

    column: int
    kind: int
    test: Any
    n_branches: int = 2
    score: float = np.nan
    agreement: float = np.nan
    equal_low: bool = True
    flipped: bool = False


@dataclass
class Fork:
    """`kind` CUTS: `test` holds the cuts; CODES: the branch of each code; CODE_SETS: (codes, branch of each, other).

    SUMS: ({column: coefficient}, cut).
    """

    column: int
    kind: int
    test: Any
    children: list[Leaf | Fork]
    missing: int = FRACTIONAL
    equal_low: bool = True
    counts: list[float] = field(default_factory=list)
    score: float = np.nan
    agreement: float = np.nan
    flipped: bool = False
    surrogates: list[Other] = field(default_factory=list)
    alternatives: list[Other] = field(default_factory=list)

    @property
    def n_branches(self) -> int:
        return len(self.children)


def plant(schema: Schema, root: Leaf | Fork, recipe: dict[str, Any] | None = None) -> Tree:
    """Number the nodes as the package does and fill the arrays."""
    numeric = isinstance(schema.target_column, Numeric)
    nodes: list[Leaf | Fork] = [root]
    parent, first_child, n_children = [-1], [-1], [0]
    waiting = [0]
    while waiting:
        node = waiting.pop()
        planted = nodes[node]
        if isinstance(planted, Leaf):
            continue
        first_child[node], n_children[node] = len(nodes), len(planted.children)
        for child in planted.children:
            nodes.append(child)
            parent.append(node)
            first_child.append(-1)
            n_children.append(0)
        waiting.extend(range(len(nodes) - 1, first_child[node] - 1, -1))

    n_classes = len(_counts(root, numeric))
    value = np.array([_counts(node, numeric) for node in nodes], float).reshape(-1, n_classes)
    weight = value[:, 0].copy() if numeric else value.sum(axis=1)
    label = np.full(len(nodes), -1, np.int32) if numeric else value.argmax(axis=1).astype(np.int32)
    for node, planted in enumerate(nodes):
        if isinstance(planted, Leaf) and planted.label is not None:
            label[node] = planted.label
        elif weight[node] == 0 and node and not numeric:
            label[node] = label[parent[node]]
    error = np.where(label < 0, weight, weight - value[np.arange(len(nodes)), label])
    if numeric:
        error = value[:, 2].copy()
    forks = [node for node in nodes if isinstance(node, Fork)]
    split = np.full(len(nodes), -1, np.int32)
    split[[node for node, planted in enumerate(nodes) if isinstance(planted, Fork)]] = np.arange(len(forks))
    share = np.array(
        [1.0] + [weight[n] / weight[parent[n]] if weight[parent[n]] else 0.0 for n in range(1, len(nodes))]
    )
    surrogate_start, surrogates, others = _beside(nodes, "surrogates", len(forks))
    alternative_start, alternatives, more = _beside(nodes, "alternatives", len(forks) + len(others))
    return Tree(
        schema=schema,
        splits=_store([*forks, *others, *more]),
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        n_children=np.array(n_children, np.int32),
        split=split,
        missing=np.array([n.missing if isinstance(n, Fork) else STOP for n in nodes], np.int32),
        rows=np.ceil(weight).astype(np.int64),
        weight=weight,
        value=value,
        label=label,
        error=error,
        share=share,
        recipe=recipe or {},
        surrogate_start=surrogate_start,
        surrogates=surrogates,
        alternative_start=alternative_start,
        alternatives=alternatives,
    )


def _beside(nodes: list[Leaf | Fork], kind: str, before: int) -> tuple[Any, Any, list[Other]]:
    """CSR arrays of the splits that stand beside each node's own, and those splits; nothing where no node has any."""
    listed = [getattr(node, kind) if isinstance(node, Fork) else [] for node in nodes]
    others = [other for some in listed for other in some]
    if not others:
        return None, None, []
    start = np.concatenate([[0], np.cumsum([len(some) for some in listed])]).astype(np.int64)
    return start, np.arange(before, before + len(others), dtype=np.int32), others


def _counts(node: Leaf | Fork, numeric: bool = False) -> list[float]:
    if isinstance(node, Fork) and not node.counts:
        below = np.array([_counts(child, numeric) for child in node.children], float)
        if numeric:
            weight = below[:, 0].sum()
            mean = below[:, 0] @ below[:, 1] / weight
            node.counts = [weight, mean, below[:, 2].sum() + below[:, 0] @ (below[:, 1] - mean) ** 2]
        else:
            node.counts = below.sum(axis=0).tolist()
    return node.counts


def _store(forks: Sequence[Fork | Other]) -> SplitStore:
    cuts: list[float] = []
    codes: list[int] = []
    branches: list[int] = []
    cut_start, code_start, other = [0], [0], []
    terms: list[tuple[int, float]] = []
    term_start = [0]
    for fork in forks:
        rest = -1
        if fork.kind == CUTS:
            cuts.extend(fork.test)
        elif fork.kind == SUMS:
            terms.extend(fork.test[0].items())
            cuts.append(fork.test[1])
        elif fork.kind == CODES:
            codes.extend(fork.test)
            branches.extend([0] * len(fork.test))
        else:
            assert fork.kind == CODE_SETS
            listed, taken, rest = fork.test
            codes.extend(listed)
            branches.extend(taken)
        term_start.append(len(terms))
        cut_start.append(len(cuts))
        code_start.append(len(codes))
        other.append(rest)
    return SplitStore(
        column=np.array([fork.column for fork in forks], np.int32),
        kind=np.array([fork.kind for fork in forks], np.int8),
        n_branches=np.array([fork.n_branches for fork in forks], np.int32),
        score=np.array([fork.score for fork in forks], float),
        equal_low=np.array([fork.equal_low for fork in forks], bool),
        cut_start=np.array(cut_start, np.int64),
        cuts=np.array(cuts, float),
        code_start=np.array(code_start, np.int64),
        codes=np.array(codes, np.int32),
        code_branch=np.array(branches, np.int32),
        other=np.array(other, np.int32),
        agreement=np.array([fork.agreement for fork in forks], float),
        flipped=np.array([fork.flipped for fork in forks], bool),
        term_start=np.array(term_start, np.int64) if terms else None,
        term_column=np.array([column for column, _ in terms], np.int32) if terms else None,
        term_coefficient=np.array([times for _, times in terms], float) if terms else None,
    )


LINE = re.compile(r"^(?P<column>.*?) (?P<relation><=|>|=|!=) (?P<value>.*)$")
LEAF = re.compile(r"^(?P<left>.*): (?P<label>.*?)(?: \((?P<weight>[\d.E]+)(?:/(?P<wrong>[\d.E]+))?\))?$")


def read_classic(body: str, indent: str = "|   ", missing: int = FRACTIONAL) -> Tree:
    """Read a classic text back into a tree with the same figures (a leaf of the text has only two)."""
    lines = [_parse(line, indent) for line in body.split("\n")]
    labels = list(dict.fromkeys(leaf["label"] for _, _, leaf in lines if leaf and leaf["label"] != "null"))
    labels += ["never 1", "never 2"]
    categories: dict[str, list[str]] = {}
    for _, test, _ in lines:
        if test:
            found = categories.setdefault(test["column"], [])
            if test["relation"] in ("=", "!=") and test["value"] not in found:
                found.append(test["value"])
    columns = [Nominal(name, (*values, "unlisted")) if values else Numeric(name) for name, values in categories.items()]
    schema = Schema((*columns, Nominal("the class", tuple(labels))), ("feature",) * len(columns) + ("target",))
    if lines[0][1] is None:
        assert lines[0][2] is not None
        return plant(schema, _leaf(lines[0][2], labels))
    return plant(schema, _fork(lines, 0, schema, labels, missing)[0])


Line = tuple[int, re.Match[str] | None, re.Match[str] | None]


def _parse(line: str, indent: str) -> Line:
    """Depth, test and leaf of one line."""
    depth = 0
    while line.startswith(indent):
        depth, line = depth + 1, line[len(indent) :]
    leaf = LEAF.match(line)
    return depth, LINE.match(leaf["left"] if leaf else line), leaf


def _leaf(found: re.Match[str], labels: list[str]) -> Leaf:
    label = -1 if found["label"] == "null" else labels.index(found["label"])
    weight, wrong = float(found["weight"] or 0), float(found["wrong"] or 0)
    counts = [0.0] * len(labels)
    if found["wrong"] == "0.0":
        wrong = 0.001  # printed as nothing, but there
    counts[label] += weight - wrong
    counts[label - 1] += wrong
    return Leaf(counts, label)


def _fork(lines: list[Line], place: int, schema: Schema, labels: list[str], missing: int) -> tuple[Fork, int]:
    """The fork whose first branch is at `place`, and the place after its last."""
    depth = lines[place][0]
    children: list[Leaf | Fork] = []
    tests: list[re.Match[str]] = []
    while place < len(lines) and lines[place][0] == depth:
        _, test, leaf = lines[place]
        assert test is not None
        tests.append(test)
        if leaf:
            children.append(_leaf(leaf, labels))
            place += 1
        else:
            child, place = _fork(lines, place + 1, schema, labels, missing)
            children.append(child)
    column = schema.position(tests[0]["column"])
    kind = schema.columns[column]
    if isinstance(kind, Numeric):
        return Fork(column, CUTS, [float(tests[0]["value"])], children, missing), place
    listed = [kind.categories.index(test["value"]) for test in tests]
    if tests[-1]["relation"] == "!=":
        return Fork(column, CODE_SETS, (listed[:1], [0], 1), children, missing), place
    table = [-1] * len(kind.categories)
    for position, code in enumerate(listed):
        table[code] = position
    return Fork(column, CODES, table, children, missing), place
