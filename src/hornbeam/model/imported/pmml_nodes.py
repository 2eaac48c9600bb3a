"""Nodes of a PMML tree as a draft: children that are tested in order become binary splits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER, Surrogate, cuts_of_singles
from hornbeam.model.imported.leaves import leaf_draft
from hornbeam.model.imported.pmml_predicates import Test, local, predicate_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree.ElementTree import Element

    from hornbeam.model.imported.draft import Draft
    from hornbeam.model.imported.pmml_predicates import Tests

STRATEGIES = ("none", "defaultChild", "lastPrediction", "nullPrediction")
LAST = "returnLastPrediction"


class TreeReader:
    """Reads trees over some columns.

    Parameters
    ----------
    tests : Tests
        The reader of predicates.
    classes : sequence of str, optional
        The classes; None for regression.
    replaced : mapping
        The replacement for missing values, by column; None: no replacement.
    """

    def __init__(self, tests: Tests, classes: Sequence[str] | None, replaced: Mapping[int, str | None]) -> None:
        self.tests, self.classes, self.replaced = tests, classes, replaced

    def read(self, model: Element, *, votes: bool = False) -> Draft:
        """Return a TreeModel as a draft; if trees vote, a leaf votes for its class."""
        self.strategy = model.get("missingValueStrategy", "none")
        self.last = model.get("noTrueChildStrategy", "returnNullPrediction") == LAST
        if self.strategy not in STRATEGIES:
            msg = f"missing values are treated by {self.strategy!r}; expected one of {', '.join(STRATEGIES)}"
            raise ModelError(msg)
        root = next((each for each in model if local(each) == "Node"), None)
        if root is None:
            raise ModelError("a TreeModel has no nodes")
        self.votes = votes
        self.nodes: list[dict[str, Any]] = []
        pending: list[tuple[Element, int, str]] = [(root, -1, "")]
        while pending:
            pending += self._expand(*pending.pop())
        return self._draft()

    # ---- nodes ----

    def _link(self, parent: int, side: str) -> int:
        """Add a node as a child of another one."""
        self.nodes.append({"low": -1, "high": -1, "test": None, "missing": False, "value": None, "weight": 1.0})
        if parent >= 0:
            self.nodes[parent][side] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def _leaf(self, element: Element, parent: int, side: str) -> None:
        node = self.nodes[self._link(parent, side)]
        node["value"], node["label"] = self._value(element)
        node["weight"] = float(element.get("recordCount", 1)) or 1.0

    def _value(self, element: Element) -> tuple[list[float], int]:
        """Return the class probabilities or the number of a node, and its class."""
        score = element.get("score")
        if self.classes is None:
            if score is None:
                msg = f"the node {element.get('id', '')!r} has no score"
                raise ModelError(msg)
            return [float(score)], -1
        shares = {}
        for each in element:
            if local(each) == "ScoreDistribution":
                shares[each.get("value", "")] = float(each.get("probability") or each.get("recordCount") or 0)
        total = sum(shares.values())
        if self.votes or not total > 0:
            if score is None:
                msg = f"the node {element.get('id', '')!r} has neither a score nor class counts"
                raise ModelError(msg)
            shares, total = {score: 1.0}, 1.0
        strange = [name for name in [*shares, *([score] if score is not None else [])] if name not in self.classes]
        if strange:
            msg = f"a node predicts {strange[0]!r}, which is not one of the classes {', '.join(self.classes)}"
            raise ModelError(msg)
        value = [shares.get(name, 0.0) / total for name in self.classes]
        return value, int(np.argmax(value)) if score is None else self.classes.index(score)

    def _expand(self, element: Element, parent: int, side: str) -> list[tuple[Element, int, str]]:
        """Add the tests of a node's children; return the children with their positions in the draft."""
        children = [each for each in element if local(each) == "Node"]
        tests = [(child, self.tests.read(predicate_of(child))) for child in children]
        default = element.get("defaultChild") if self.strategy == "defaultChild" else None
        never = [child for child, test in tests if test.column < 0 and not test.always]
        tests = [(child, test) for child, test in tests if test.column >= 0 or test.always]
        if not tests:
            self._leaf(element, parent, side)
            return []
        is_whole = self._is_whole([test for _, test in tests])
        if is_whole and default is not None and default in [child.get("id") for child in never]:
            # every known value passes one of the others, so this child is for missing values alone
            tests.append((next(child for child in never if child.get("id") == default), Test(always=True)))
            is_whole = False
        stops = self._stops(tests, is_whole=is_whole)
        if stops:
            parent, side = self._known(tests[0][1], element, parent, side)
        found: list[tuple[Element, int, str]] = []
        for place, (child, test) in enumerate(tests):
            if test.column < 0 or (is_whole and place == len(tests) - 1):
                return [*found, (child, parent, side)]
            at = self._link(parent, side)
            true, false = ("low", "high") if test.codes is not None or test.below else ("high", "low")
            passes = self._if_missing(test, is_default=default is not None and child.get("id") == default)
            self.nodes[at] |= {"test": test, "missing": passes == (true == "low")}
            found.append((child, at, true))
            parent, side = at, false
        if not self.last:
            msg = f"the children of the node {element.get('id', '')!r} leave out some values, which then have no result"
            raise ModelError(msg)
        self._leaf(element, parent, side)
        return found

    def _is_whole(self, tests: Sequence[Test]) -> bool:
        """Whether every known value that fails all earlier tests passes the last one."""
        last = tests[-1]
        if last.column < 0:
            return False
        size = self._size(last.column)
        if any(test.is_opposite(last, size) for test in tests[:-1]):
            return True
        if last.codes is None or any(test.codes is None or test.column != last.column for test in tests):
            return False
        return len(frozenset().union(*(test.codes for test in tests if test.codes is not None))) == size

    def _size(self, column: int) -> int:
        asked = self.tests.columns[column]
        return len(asked.categories) if isinstance(asked, Nominal) else 0

    def _stops(self, tests: Sequence[tuple[Element, Test]], *, is_whole: bool) -> bool:
        """Whether a row with a missing value ends at the node, with the node's prediction."""
        unknown = [test for _, test in tests if test.column >= 0 and test.missing is None]
        if not unknown or self.replaced.get(unknown[0].column) is not None:
            return False
        if self.strategy == "lastPrediction":
            return True
        return self.strategy == "none" and self.last and is_whole and len(unknown) == len(tests)

    def _known(self, test: Test, element: Element, parent: int, side: str) -> tuple[int, str]:
        """Add a split that separates known from missing values; the latter get the prediction of the node."""
        if test.surrogates:
            raise ModelError("rows with missing values end at a split with surrogates, which is not supported")
        at = self._link(parent, side)
        every = frozenset(range(self._size(test.column)))
        known = Test(test.column, EVERY_NUMBER, codes=every if test.codes is not None else None)
        self.nodes[at] |= {"test": known, "missing": False}
        self._leaf(element, at, "high")
        return at, "low"

    def _if_missing(self, test: Test, *, is_default: bool) -> bool:
        """Whether a row with a missing value passes a test."""
        stand_in = self.replaced.get(test.column)
        if stand_in is not None and not test.surrogates:
            if test.codes is None:
                return (float(stand_in) <= test.cut) == test.below
            asked = self.tests.columns[test.column]
            return isinstance(asked, Nominal) and stand_in in {asked.categories[code] for code in test.codes}
        return is_default if test.missing is None else test.missing

    # ---- the draft ----

    def _draft(self) -> Draft:
        nodes, width = self.nodes, 1 if self.classes is None else len(self.classes)
        inner = np.array([node["test"] is not None for node in nodes])
        cut = np.zeros(len(nodes))
        codes: dict[int, list[int]] = {}
        surrogates: dict[int, list[Surrogate]] = {}
        for k, node in enumerate(nodes):
            test = node["test"]
            if test is None:
                continue
            if test.codes is not None:
                self._list(k, node, codes)
            else:
                cut[k] = self._rounded(test)
            if test.surrogates:
                true = 0 if test.codes is not None or test.below else 1
                surrogates[k] = [self._surrogate(each, true) for each in test.surrogates]
        value = np.array([node["value"] or [0.0] * width for node in nodes])
        draft = leaf_draft(
            np.array([node["low"] for node in nodes], np.int64),
            np.array([node["high"] for node in nodes], np.int64),
            np.array([node["test"].column if node["test"] else 0 for node in nodes], np.int32),
            np.where(inner, cut, 0.0),
            np.array([node["missing"] for node in nodes], np.bool_),
            value,
            codes=codes,
            weight=np.array([node["weight"] for node in nodes]),
        )
        label = np.array([node.get("label", -1) for node in nodes], np.int32)
        return replace(draft, label=label, surrogates=surrogates)

    def _list(self, k: int, node: dict[str, Any], codes: dict[int, list[int]]) -> None:
        """Keep the categories of the low child; if it has none, swap the children."""
        listed = sorted(node["test"].codes)
        if not listed:
            listed = list(range(self._size(node["test"].column)))
            node["low"], node["high"], node["missing"] = node["high"], node["low"], not node["missing"]
        if not listed:
            msg = f"the column {self.tests.columns[node['test'].column].name!r} has no categories"
            raise ModelError(msg)
        codes[k] = listed

    def _rounded(self, test: Test) -> float:
        is_single = self.tests.single[test.column]
        return float(cuts_of_singles(np.array([test.cut]), np.array([True]), round_inputs=is_single)[0])

    def _surrogate(self, test: Test, true: int) -> Surrogate:
        if test.column < 0 or test.surrogates:
            raise ModelError("a surrogate is not a test of a column")
        if test.codes is not None:
            return Surrogate(test.column, true, codes=tuple(sorted(test.codes)))
        return Surrogate(test.column, true if test.below else 1 - true, cut=self._rounded(test))
