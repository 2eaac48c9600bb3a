"""Which estimator gives which scheme of WEKA, and how the two are laid side by side."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from fuzz.random_tables import Wanted

import hornbeam
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.show import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fuzz.random_tables import Drawn
    from fuzz.weka_program import WekaAnswer

SAME = 1e-9  # of class distributions; of predicted numbers, over their size
Compared = Literal["distributions", "classes", "numbers", "clusters"]


@dataclass(frozen=True)
class Claim:
    """An estimator that is said to give what a scheme of WEKA gives."""

    name: str
    scheme: str
    options: str
    learner: Callable[[], Any]
    wanted: Wanted
    body: Callable[[str], str]  # what of WEKA's text is compared; "" if the text says nothing of the model
    compared: Compared = "distributions"


@dataclass(frozen=True)
class Found:
    """The text and the predictions of one side, or why there are none."""

    text: str
    rows: np.ndarray
    error: str = ""
    model: Any = None
    shares: np.ndarray = field(default_factory=lambda: np.empty(0))  # class distributions where `rows` are classes


def ours(claim: Claim, pair: Drawn) -> Found:
    """What the estimator gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewRowsWarning)
        try:
            fitted = claim.learner().fit(pair.training)
        except (ValueError, ArithmeticError) as error:
            return Found("", np.empty(0), f"{type(error).__name__}: {error}")
    model = fitted.model_
    if claim.compared == "clusters":
        return Found(str(_shape(model, fitted.leaves_)), np.empty(0), model=model)
    shown = "" if claim.body is _nothing else text(model, style="weka")
    if claim.compared == "classes":
        return Found(
            shown, model.predict_codes(pair.asked)[:, np.newaxis], model=model, shares=model.predict_proba(pair.asked)
        )
    if claim.compared == "numbers":
        return Found(shown, model.predict_codes(pair.asked)[:, np.newaxis], model=model)
    return Found(shown, model.predict_proba(pair.asked), model=model)


def theirs(claim: Claim, answer: WekaAnswer) -> Found:
    """What WEKA gives."""
    if answer.error:
        return Found("", np.empty(0), answer.error)
    rows = shares = np.array(answer.rows, np.float64)
    if claim.compared == "clusters":
        return Found(claim.body(answer.text), np.empty(0))
    if claim.compared == "classes":
        known = rows.max(axis=1) > 0
        rows = np.where(known, rows.argmax(axis=1), -1)[:, np.newaxis]
    return Found(claim.body(answer.text), rows, shares=shares)


def identical(one: Found, other: Found) -> bool:
    """Whether both sides printed the same model and made the same predictions."""
    if one.error or other.error:
        return bool(one.error) and bool(other.error)
    return one.text == other.text and same_rows(one.rows, other.rows)


def same_rows(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether predictions agree, but for the last digits of sums."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=SAME, atol=SAME, equal_nan=True))


def _shape(tree: Any, leaves: np.ndarray) -> Any:
    """Rows at every node, as sizes in sizes, the smallest first."""
    rows = np.bincount(leaves, minlength=tree.n_nodes)
    below: list[list[Any]] = [[] for _ in rows]
    for node in range(tree.n_nodes - 1, -1, -1):
        shape = int(rows[node]), tuple(sorted(below[node]))
        if node == 0:
            return shape
        rows[tree.parent[node]] += rows[node]
        below[tree.parent[node]].append(shape)
    return None


def _printed_shape(printed: str) -> str:
    from oracle.clusters.clusters_in_clusters import printed_shape

    return str(printed_shape(printed))


def _between(start: str, end: str) -> Callable[[str], str]:
    def body(printed: str) -> str:
        head, found, rest = printed.partition(start)
        return rest.rpartition(end)[0].strip("\n") if found else head

    return body


def _m5_tree(printed: str) -> str:
    lead = "linear models)\n" if "smoothed linear models)" in printed else "model tree:\n"
    return printed.partition(lead)[2].rpartition("\n\nNumber of Rules")[0].lstrip("\n")


def _m5_rules(printed: str) -> str:
    _, lead, rest = printed.partition("Rule: 1\n")
    return (lead + rest).rstrip("\n")


def _nothing(printed: str) -> str:  # noqa: ARG001 (the scheme prints no model)
    return ""


TREE = _between("------------------\n", "\n\nNumber of Leaves")
LIST = _between("------------------\n", "\n\nNumber of Rules")
RULES = _between("===========\n", "\n\nNumber of Rules")
CLASSES = Wanted(least_classes=2)  # WEKA refuses a target with one declared class
NUMBERS = Wanted(target="number")
WHOLE_NOMINAL = replace(CLASSES, kinds="nominal", missing=False)
ROWS = replace(CLASSES, most_rows=250)  # for schemes that compare every row with every other


def _unweighted() -> Iterator[Claim]:
    trees: dict[str, dict[str, Any]] = {
        "": {},
        "-U": {"prune": None},
        "-R": {"prune": "reduced-error"},
        "-B": {"nominal": "one-vs-rest"},
        "-S": {"subtree_raising": False},
        "-M 5 -C 0.1": {"min_samples_leaf": 5, "confidence": 0.1},
        "-A": {"leaf": "laplace"},
        "-U -B -M 1": {"prune": None, "nominal": "one-vs-rest", "min_samples_leaf": 1},
    }
    for options, given in trees.items():
        yield _claim("J48", "trees", options, CLASSES, TREE, _maker(hornbeam.C45Classifier, given))
    lists: dict[str, dict[str, Any]] = {"": {}, "-U": {"prune": None}, "-B": {"nominal": "one-vs-rest"}}
    for options, given in lists.items():
        yield _claim("PART", "rules", options, CLASSES, LIST, _maker(hornbeam.PartClassifier, given))
    rules: dict[str, dict[str, Any]] = {
        "": {},
        "-P": {"prune": None},
        "-O 0": {"optimizations": 0},
        "-N 5": {"min_samples_rule": 5},
    }
    for options, given in rules.items():
        yield _claim("JRip", "rules", options, CLASSES, RULES, _maker(hornbeam.RipperClassifier, given))
    yield _claim("Id3", "trees", "", WHOLE_NOMINAL, _id3, _maker(hornbeam.ID3Classifier, {}), "classes")
    yield _claim("OneR", "rules", "", CLASSES, _stripped, _maker(hornbeam.OneRClassifier, {}), "classes")
    yield _claim("Prism", "rules", "", WHOLE_NOMINAL, _prism, _maker(hornbeam.PrismClassifier, {}), "classes")
    yield from _of_numbers()
    neighbors = {"n_neighbors": 5, "ties": "all"}
    yield _claim("IBk", "lazy", "-K 5", ROWS, _nothing, _maker(hornbeam.NeighborsClassifier, neighbors))
    numbers = replace(NUMBERS, most_rows=ROWS.most_rows)
    mean = _claim("IBk", "lazy", "-K 5", numbers, _nothing, _maker(hornbeam.NeighborsRegressor, neighbors), "numbers")
    yield replace(mean, name="IBk -K 5 of numbers")
    nearest = {"n_neighbors": 1, "ties": "first"}
    yield _claim("IB1", "lazy", "", ROWS, _nothing, _maker(hornbeam.NeighborsClassifier, nearest), "classes")
    yield _claim("KStar", "lazy", "", ROWS, _nothing, _maker(hornbeam.KStarClassifier, {}), "classes")
    groups = Wanted(target="none", most_rows=250)
    cobweb = _maker(hornbeam.Cobweb, {"level": None})
    yield Claim("Cobweb", "weka.clusterers.Cobweb", "", cobweb, groups, _printed_shape, "clusters")


def _of_numbers() -> Iterator[Claim]:
    models: dict[str, dict[str, Any]] = {
        "": {},
        "-N": {"prune": None},
        "-R": {"leaf": "mean"},
        "-U": {"smoothing": False},
    }
    for options, given in models.items():
        yield _claim("M5P", "trees", options, NUMBERS, _m5_tree, _maker(hornbeam.M5Regressor, given), "numbers")
    yield _claim("M5Rules", "rules", "", NUMBERS, _m5_rules, _maker(hornbeam.M5RulesRegressor, {}), "numbers")
    equations: dict[str, dict[str, Any]] = {"": {}, "-S 1": {"selection": None}, "-S 2": {"selection": "greedy"}}
    for options, given in equations.items():
        learner = _maker(hornbeam.LinearRegressor, given)
        yield _claim("LinearRegression", "functions", options, NUMBERS, _stripped, learner, "numbers")


def _claim(
    scheme: str,
    package: str,
    options: str,
    wanted: Wanted,
    body: Callable[[str], str],
    learner: Callable[[], Any],
    compared: Compared = "distributions",
) -> Claim:
    name = f"{scheme} {options}".strip()
    return Claim(name, f"weka.classifiers.{package}.{scheme}", options, learner, wanted, body, compared)


def _maker(kind: Callable[..., Any], given: dict[str, Any]) -> Callable[[], Any]:
    return lambda: kind(compat="weka", **given)


def _id3(printed: str) -> str:
    return printed.removeprefix("Id3\n\n").strip("\n")


def _prism(printed: str) -> str:
    return printed.removeprefix("Prism rules\n----------\n").strip("\n")


def _stripped(printed: str) -> str:
    return printed.strip("\n")


def claims() -> list[Claim]:
    """Every claim, without and with row weights; docs/compat.md makes none for weighted rows in COBWEB."""
    plain = list(_unweighted())
    weighted = [claim for claim in plain if claim.compared != "clusters"]
    return plain + [replace(c, name=f"{c.name} (weighted)", wanted=replace(c.wanted, weighted=True)) for c in weighted]
