"""The chapter on clusters: COBWEB's trees, hierarchical clusters, and how well k-means and EM fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding, count_same, identity_table
from oracle.clusters.clusters_in_clusters import (
    LINKAGES,
    concepts,
    joinings,
    printed_shape,
    replayed,
    shape_of,
    without_last,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import hornbeam
from hornbeam.data.schema import Nominal
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel

HIERARCHIES = tuple(f"hclust-{how}" for how in LINKAGES)
MEANS = ("SimpleKMeans-2", "SimpleKMeans-3")
MIXTURES = ("EM-2", "EM-3", "w39-EM-3")
SCHEMES = ("Cobweb", *HIERARCHIES, *MEANS, *MIXTURES)
HEIGHTS = 1e-6
NOT_TIED = "and no two pairs were equally near"


@dataclass(frozen=True)
class Outcome:
    """What came of one scheme on one set."""

    scheme: str
    data: str
    difference: str | None  # None: only the fit is compared
    ours: float = np.nan  # squared error of k-means, mean log likelihood of EM
    theirs: float = np.nan

    @property
    def worse(self) -> bool:
        """Whether ours fits worse."""
        if self.scheme in MEANS:
            return self.ours > self.theirs * (1 + 1e-9)
        return self.scheme in MIXTURES and self.ours < self.theirs - 1e-5


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return evidence.small_pairs(SCHEMES) + evidence.large_pairs(SCHEMES)


def concept_difference(data: str) -> str:
    """Whether the tree of concepts has the same shape: sizes in sizes."""
    theirs = printed_shape(evidence.answers("Cobweb", data)["model"])
    return "" if shape_of(concepts(data).model_) == theirs else "another tree"


def near(ours: np.ndarray, wanted: np.ndarray) -> bool:
    """Whether heights are the same to the printed digits."""
    return bool(np.all(np.abs(ours - wanted) <= np.maximum(HEIGHTS, HEIGHTS * np.abs(wanted))))


def hierarchy_difference(scheme: str, data: str) -> str:
    """Whether heights and three clusters are the same; if not, whether ties explain it."""
    fitted, matrix = joinings(scheme, data)
    theirs, model = evidence.answers(scheme, data), fitted.model_
    heights, tied = replayed(matrix, model.pairs, model.linkage)
    if not near(model.heights, heights):
        return "heights are not those of the definition"
    wrong = []
    if not near(model.heights, np.array(theirs["height"])):
        wrong.append("heights differ")
    if adjusted_rand_score(fitted.labels_, list(theirs["assign"])) != 1.0:
        wrong.append("three clusters differ")
    return "; ".join([*wrong, *([] if tied else [NOT_TIED])]) if wrong else ""


def filled(table: hornbeam.Table) -> hornbeam.Table:
    """Means and most frequent categories put in for missing values, as WEKA does before k-means."""
    arrays = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        array = values.copy()
        if isinstance(column, Nominal):
            known = array[array >= 0]
            array[array < 0] = np.bincount(known).argmax() if len(known) else -1
        elif np.isnan(array).any():
            array[np.isnan(array)] = np.nanmean(array)
        arrays.append(array)
    return hornbeam.Table(table.schema, arrays)


def fit_of(scheme: str, data: str) -> tuple[float, float]:
    """How well we fit, and how well the program does."""
    theirs, k = evidence.answers(scheme, data), int(scheme[-1])
    table = without_last(data)
    table = table.assign(dict.fromkeys(range(len(table.schema.columns)), "feature"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if scheme in MEANS:
            ours = KMeans(k, n_init=20, improve="swaps", random_state=0).fit(filled(table))
            return float(ours.inertia_), theirs["sse"]
        # The likelihood is what is compared, so it is what is climbed: without a prior. WEKA smooths the probabilities
        # of categories, and ends where its likelihood no longer rises: on the way to the optimum of another figure,
        # which may have less of it (lowbwt, weather.nominal).
        how: dict[str, Any] = {"prior": None, "n_init": 10, "random_state": 1, "tol": 1e-8, "max_iter": 500}
        fitted = [MixtureModel(k, init=init, **how).fit(table) for init in ("k-means", "random")]
        return max(float(one.lower_bound_) for one in fitted), theirs["log_likelihood"]


def compare(scheme: str, data: str) -> Outcome:
    """Compare one scheme on one set."""
    if scheme == "Cobweb":
        return Outcome(scheme, data, concept_difference(data))
    if scheme in HIERARCHIES:
        return Outcome(scheme, data, hierarchy_difference(scheme, data))
    return Outcome(scheme, data, None, *fit_of(scheme, data))


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, each.difference) for each in outcomes]


def complaints(outcomes: list[Outcome]) -> list[str]:
    """Sets that k-means or EM fits worse, and differences of hierarchies that ties do not explain."""
    told = [
        f"{each.scheme} on {each.data}: {each.ours:.8g}, theirs {each.theirs:.8g}" for each in outcomes if each.worse
    ]
    return told + [
        f"{each.scheme} on {each.data}: {each.difference}" for each in outcomes if NOT_TIED in (each.difference or "")
    ]


def page(outcomes: list[Outcome]) -> list[str]:
    """Two tables: what must be the same, and what must fit as well."""
    found = [each for each in findings(outcomes) if each.difference is not None]
    fits = {(each.scheme, each.data): each for each in outcomes if each.difference is None}
    lines = [
        "*same*: the tree of concepts has the same shape; hierarchical clusters have the same heights, and cut into",
        "three they have the same rows.",
        "",
        count_same(found),
        "",
        *identity_table(found, ("Cobweb", *HIERARCHIES)),
        "",
        "k-means must have no greater squared error than WEKA's, EM (without a prior) no smaller log likelihood per",
        "row: ours / WEKA's. The starts are random in both.",
        "",
        "| set | " + " | ".join((*MEANS, *MIXTURES)) + " |",
        "|---|" + "---|" * len((*MEANS, *MIXTURES)),
    ]
    for data in sorted({data for _, data in fits}):
        cells = []
        for scheme in (*MEANS, *MIXTURES):
            one = fits.get((scheme, data))
            told = "" if one is None else f"{one.ours:.6g} / {one.theirs:.6g}"
            cells.append(f"**{told}**" if one is not None and one.worse else told)
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    return lines


CHAPTER = Chapter("Clusters", pairs, compare, findings, complaints, page)
