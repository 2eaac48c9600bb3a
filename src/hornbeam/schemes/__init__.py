"""The list of schemes: what can be learned, by which class, with which parameters.

The command line and `hornbeam schemes` read this list, which imports nothing heavy; a test compares it with the
estimators' signatures. A new scheme is one more entry in the file of its family. A scheme that learns classes and
numbers has two entries of one name, and the target's kind decides between them.

scheme: what a scheme and a parameter are, and parameters that several schemes share
search_range: the range in which a parameter is tuned
trees, rules, linear, forests, neighbors, svm, clusters: the schemes of each family
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.schemes.clusters import CLUSTER_NAMES, CLUSTER_SCHEMES
from hornbeam.schemes.forests import FOREST_SCHEMES
from hornbeam.schemes.linear import LINEAR_SCHEMES
from hornbeam.schemes.neighbors import NEIGHBOR_SCHEMES
from hornbeam.schemes.rules import RULE_SCHEMES
from hornbeam.schemes.scheme import Parameter, Predicts, Scheme, with_base_schemes
from hornbeam.schemes.svm import SVM_SCHEMES
from hornbeam.schemes.trees import MODEL_TREE_SCHEMES, TREE_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NAMES", "SCHEMES", "Parameter", "Predicts", "Scheme", "find", "named"]

SCHEMES: tuple[Scheme, ...] = with_base_schemes(
    (
        *TREE_SCHEMES,
        *LINEAR_SCHEMES,
        *MODEL_TREE_SCHEMES,
        *RULE_SCHEMES,
        *FOREST_SCHEMES,
        *NEIGHBOR_SCHEMES,
        *SVM_SCHEMES,
    )
)
NAMES: tuple[str, ...] = tuple(dict.fromkeys(scheme.name for scheme in SCHEMES))
USUAL: dict[Predicts, tuple[str, ...]] = {  # compared by default: readable models, and a forest
    "category": ("one-r", "c45", "cart", "ripper", "part", "forest"),
    "number": ("linear", "cart", "m5", "m5-rules", "forest"),
}
MANY_ROWS = 20_000  # with more rows, a report leaves out slow schemes (minutes per fold) unless they are named
SLOW_OF_MANY = frozenset({"part", "m5-rules"})
ALL_SCHEMES: tuple[Scheme, ...] = (*SCHEMES, *CLUSTER_SCHEMES)  # including clusterers


def named(name: str, expected: Iterable[str] = (*NAMES, *CLUSTER_NAMES)) -> tuple[Scheme, ...]:
    """Give the schemes called `name`: one, or one for classes and one for numbers; raise an error if there is none.

    Examples
    --------
    >>> [scheme.estimator for scheme in named("tree")]
    ['TreeClassifier', 'TreeRegressor']
    """
    found = tuple(scheme for scheme in ALL_SCHEMES if scheme.name == name.lower())
    if not found:
        msg = f"no scheme is called {name!r}; expected one of {', '.join(expected)}"
        raise ValueError(msg)
    return found


def find(name: str, predicts: Predicts | None = None) -> Scheme:
    """Give the scheme called `name`, of those that predict what is asked where there are two.

    Examples
    --------
    >>> find("c45").estimator, find("tree", "number").estimator
    ('C45Classifier', 'TreeRegressor')
    """
    fitting = dict.fromkeys(scheme.name for scheme in ALL_SCHEMES if predicts in (None, scheme.predicts))
    for scheme in named(name, fitting):
        if predicts in (None, scheme.predicts):
            return scheme
    others = ", ".join(fitting)
    held = {"category": "categories", "number": "numbers"}
    msg = f"the scheme {name} does not predict {held[predicts or 'category']}; those that do: {others}"
    raise ValueError(msg)
