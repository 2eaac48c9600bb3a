"""The list of schemes: their names, estimators and parameters.

The command line and `hornbeam schemes` read this list, which imports nothing heavy; a test compares it with the
estimators' signatures. A new scheme is one more entry in the file of its family. A scheme that learns classes and
numbers has two entries of one name, and the target's kind decides between them.

scheme: what a scheme, a parameter and its search range are, and parameters that several schemes share
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
    from collections.abc import Iterable, Sequence

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
NAMES_ELSEWHERE = {  # names of the schemes in other programs and packages
    "c4.5": "c45", "c5.0": "c45", "j48": "c45", "rpart": "cart", "decision tree": "tree", "rulefit": "ripper",
    "jrip": "ripper", "zero-r": "one-r", "m5p": "m5", "cubist": "m5-rules", "ols": "linear", "lm": "linear",
    "linear regression": "linear", "ridge": "polynomial", "xgboost": "boosting", "xgb": "boosting",
    "lightgbm": "boosting", "lgbm": "boosting", "catboost": "boosting", "gbm": "boosting", "rf": "forest",
    "extra trees": "forest", "knn": "neighbors", "k nearest neighbors": "neighbors", "ibk": "neighbors",
    "ib1": "neighbors", "lwl": "locally-weighted", "nnge": "exemplars", "ridor": "exceptions", "svc": "svm",
    "svr": "svm", "smo": "svm", "kmeans": "k-means", "gmm": "em", "gaussian mixture": "em", "hclust": "hierarchical",
    "agglomerative": "hierarchical",
}  # fmt: skip
ALL_SCHEMES: tuple[Scheme, ...] = (*SCHEMES, *CLUSTER_SCHEMES)  # including clusterers


def named(name: str, expected: Iterable[str] = (*NAMES, *CLUSTER_NAMES)) -> tuple[Scheme, ...]:
    """Return the schemes called `name`: one, or one for classes and one for numbers; raise an error if there is none.

    Examples
    --------
    >>> [scheme.estimator for scheme in named("tree")]
    ['TreeClassifier', 'TreeRegressor']
    """
    found = tuple(scheme for scheme in ALL_SCHEMES if scheme.name == name.lower())
    if not found:
        msg = f"no scheme is called {name!r}; {hint(name, tuple(expected))}"
        raise ValueError(msg)
    return found


def hint(name: str, expected: Sequence[str] = NAMES) -> str:
    """Suggest a scheme for an unknown name: by its spelling, its title, its estimator or a name used elsewhere.

    Examples
    --------
    >>> hint("randomforest"), hint("xgboost"), hint("j48"), hint("oak", ("c45", "cart"))
    ("did you mean 'forest'?", "did you mean 'boosting'?", "did you mean 'c45'?", 'expected one of c45, cart')
    """
    from hornbeam._names import listed, similar  # noqa: PLC0415 (only for messages)

    names = dict(zip(expected, expected, strict=True))
    for scheme in ALL_SCHEMES:
        if scheme.name in names:
            estimator = scheme.estimator.removesuffix("Classifier").removesuffix("Regressor")
            for other in (scheme.title, scheme.estimator, estimator):
                names.setdefault(other, scheme.name)
    names |= {other: own for other, own in NAMES_ELSEWHERE.items() if own in names}
    close = list(dict.fromkeys(names[found] for found in similar(name, names)))
    return f"did you mean {' or '.join(map(repr, close))}?" if close else f"expected one of {listed(expected)}"


def find(name: str, predicts: Predicts | None = None) -> Scheme:
    """Return the scheme called `name`, the one for this kind of target if there are two.

    Examples
    --------
    >>> find("c45").estimator, find("tree", "number").estimator
    ('C45Classifier', 'TreeRegressor')
    """
    fitting = dict.fromkeys(scheme.name for scheme in ALL_SCHEMES if predicts in (None, scheme.predicts))
    for scheme in named(name, fitting):
        if predicts in (None, scheme.predicts):
            return scheme
    from hornbeam._names import listed  # noqa: PLC0415 (only for messages)

    others = listed(fitting)
    held = {"category": "categories", "number": "numbers"}
    msg = f"the scheme {name} does not predict {held[predicts or 'category']}; those that do: {others}"
    raise ValueError(msg)


def of_estimator(name: str) -> Scheme | None:
    """Return the scheme whose estimator has this name; None for other estimators.

    Examples
    --------
    >>> of_estimator("C45Classifier").title, of_estimator("LogisticRegression")
    ('C4.5', None)
    """
    return next((scheme for scheme in ALL_SCHEMES if scheme.estimator == name), None)


def title_of(name: str) -> str:
    """Return the title of this estimator's scheme, or the name itself."""
    scheme = of_estimator(name)
    return name if scheme is None else scheme.title
