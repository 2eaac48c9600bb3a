"""One table learned by rpart and by CART here, and every difference between the two."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.importance import importance
from hornbeam.model.trees.split import CUTS
from hornbeam.show import text

if TYPE_CHECKING:
    from fuzz.random_tables import Drawn
    from fuzz.rpart_process import Options, Reply

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

CLOSE = 1e-9  # of figures that both programs give in full


@dataclass(frozen=True)
class Differences:
    """What differs, in words; nothing where all parts are empty."""

    text: str = ""
    table: str = ""
    importance: str = ""
    surrogates: str = ""
    predictions: str = ""

    def __bool__(self) -> bool:
        return any((self.text, self.table, self.importance, self.surrogates, self.predictions))

    def __str__(self) -> str:
        parts = vars(self).items()
        return "\n".join(f"{name}: {what}" for name, what in parts if what)


def estimator(table: Table, options: Options, *, compat: bool = True) -> Any:
    """The estimator that learns as rpart does with these options; with `compat`, wherever that program decides."""
    given: dict[str, Any] = {
        "cp": options.cp,
        "min_samples_split": options.min_split,
        "min_samples_leaf": options.min_bucket,
        "max_surrogates": options.max_surrogates,
        "max_depth": options.max_depth,
        "folds": 0,
        "compat": "rpart" if compat else None,
    }
    target = table.schema.target_column
    if not isinstance(target, Nominal):
        return CartRegressor(**given)
    codes = table.target_values()
    present = [target.categories[code] for code in np.unique(codes[codes >= 0])]
    if options.priors is not None:
        given["priors"] = dict(zip(present, options.priors, strict=True))
    if options.loss is not None:
        rows = [dict(zip(present, row, strict=True)) for row in options.loss]
        given["loss"] = dict(zip(present, rows, strict=True))
    return CartClassifier(criterion="entropy" if options.split == "information" else "gini", **given)


def compare(pair: Drawn, options: Options, reply: Reply, *, compat: bool = True) -> Differences:
    """Learn the table, and compare everything that both programs report."""
    learned = estimator(pair.training, options, compat=compat).fit(pair.training)
    return Differences(
        _lines(text(learned, style="rpart"), reply.text),
        _table(learned.cp_table_, reply.table),
        _importance(learned.model_, reply.importance),
        _surrogates(learned.model_, reply.surrogates),
        _predictions(learned, pair.asked, reply),
    )


def _lines(ours: str, theirs: str) -> str:
    pairs = zip_longest(ours.rstrip("\n").split("\n"), theirs.rstrip("\n").split("\n"), fillvalue="(no line)")
    found = [f"\n  ours   {our!r}\n  theirs {their!r}" for our, their in pairs if our != their]
    return "".join(found[:4])


def _table(ours: Any, theirs: list[tuple[float, ...]]) -> str:
    rows = list(zip(ours.cp.tolist(), ours.n_splits.tolist(), ours.error.tolist(), strict=True))
    if len(rows) != len(theirs):
        return f"{len(rows)} rows, not {len(theirs)}"
    for row, other in zip(rows, theirs, strict=True):
        if not np.allclose(row, other, rtol=CLOSE, atol=CLOSE, equal_nan=True):
            return f"{row}, not {other}"
    return ""


def _importance(tree: Tree, theirs: dict[str, float]) -> str:
    names = [tree.schema.columns[position].name for position in tree.schema.features]
    ours = {name: value for name, value in zip(names, importance(tree).tolist(), strict=True) if value > 0}
    if ours.keys() != theirs.keys():
        return f"of {sorted(ours)}, not {sorted(theirs)}"
    wrong = [name for name in ours if not np.isclose(ours[name], theirs[name], rtol=CLOSE, atol=0)]
    return "".join(f"{name} {ours[name]}, not {theirs[name]}; " for name in wrong[:3])


def _surrogates(tree: Tree, theirs: list[tuple[int, str, float, float, float]]) -> str:
    ours = surrogates_of(tree)
    if [each[:2] for each in ours] != [each[:2] for each in theirs]:
        return f"{[each[:2] for each in ours][:8]}, not {[each[:2] for each in theirs][:8]}"
    for our, their in zip(ours, theirs, strict=True):
        if not np.allclose(our[2:], their[2:], rtol=CLOSE, atol=CLOSE, equal_nan=True):
            return f"{our}, not {their}"
    return ""


def surrogates_of(tree: Tree) -> list[tuple[int, str, float, float, float]]:
    """Node number, column, cut, agreement and adjusted agreement of every surrogate, in printing order."""
    found = []
    waiting = [(0, 1)]
    assert tree.surrogate_start is not None
    assert tree.surrogates is not None
    assert tree.splits.agreement is not None
    while waiting:
        node, number = waiting.pop()
        for split in tree.surrogates[tree.surrogate_start[node] : tree.surrogate_start[node + 1]]:
            name = tree.schema.columns[tree.splits.column[split]].name
            by_cut = tree.splits.kind[split] == CUTS
            cut = float(tree.splits.cuts[tree.splits.cut_start[split]]) if by_cut else float("nan")
            found.append((number, name, cut, float(tree.splits.agreement[split]), float(tree.splits.score[split])))
        if tree.n_children[node]:
            first = int(tree.first_child[node])
            waiting += [(first + 1, 2 * number + 1), (first, 2 * number)]
    return found


def _predictions(learned: Any, asked: Table, reply: Reply) -> str:
    if not reply.classes:
        ours = learned.predict(asked)
        theirs = np.array([row[0] for row in reply.answers])
        wrong = np.flatnonzero(~np.isclose(ours, theirs, rtol=CLOSE, atol=CLOSE))
        return f"row {wrong[0] + 1} of {len(wrong)}: {ours[wrong[0]]}, not {theirs[wrong[0]]}" if len(wrong) else ""
    places = [learned.classes_.tolist().index(name) for name in reply.classes]
    ours = learned.predict_proba(asked)[:, places]
    shares = np.array(reply.answers)
    wrong = np.flatnonzero(~np.isclose(ours, shares, rtol=CLOSE, atol=CLOSE).all(axis=1))
    if len(wrong):
        return f"row {wrong[0] + 1} of {len(wrong)}: {ours[wrong[0]].tolist()}, not {shares[wrong[0]].tolist()}"
    labels = learned.predict(asked).tolist()
    differ = [place for place, label in enumerate(labels) if label != reply.labels[place]]
    return f"row {differ[0] + 1}: class {labels[differ[0]]}, not {reply.labels[differ[0]]}" if differ else ""
