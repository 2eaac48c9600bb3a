"""The list of schemes: what can be learned, by which class, with which parameters.

The command line and `hornbeam schemes` read this list, which imports nothing heavy; a test compares it with the
estimators' signatures. A new scheme is one more entry here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

Value = str | int | float | bool | None
Kind = Literal["number", "integer", "switch", "choice"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a scheme.

    Parameters
    ----------
    name : str
        The name in the estimator's signature.
    default : str, int, float, bool or None
        The same as in the signature.
    kind : str
        ``"number"``, ``"integer"``, ``"switch"`` (true or false) or ``"choice"``.
    summary : str
        What it does, in one line.
    choices : tuple
        What a choice may be, None among them where the parameter may be left open.
    flag : str, optional
        Its name on the command line, where that of the signature is taken by an option for reading data
        (``--nominal COLUMN``); None where a command sets the parameter itself.
    """

    name: str
    default: Value
    kind: Kind
    summary: str
    choices: tuple[Value, ...] = ()
    flag: str | None = ""

    @property
    def option(self) -> str | None:
        """The command-line option, such as ``--min-samples-leaf``; None where there is none."""
        return None if self.flag is None else "--" + (self.flag or self.name.replace("_", "-"))


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way of learning: its short name, its estimator and its parameters."""

    name: str
    title: str
    estimator: str
    module: str
    summary: str
    predicts: Literal["category", "number"]
    parameters: tuple[Parameter, ...]

    def load(self) -> Any:  # noqa: ANN401 - estimators share no base of ours
        """Import the estimator class; this is where scikit-learn is first needed."""
        return getattr(import_module(self.module), self.estimator)


# Parameters that mean the same in every scheme.
N_JOBS = Parameter("n_jobs", None, "integer", "threads: none for one, -1 for every core")
RANDOM_STATE = Parameter("random_state", None, "integer", "seed of what is drawn at random")
CLASS_WEIGHT = Parameter(
    "class_weight",
    None,
    "choice",
    "balanced: every class counts the same, however many rows it has",
    (None, "balanced"),
)
COMPAT = Parameter(
    "compat", None, "choice", "weka: follow that program where its own random numbers or rules decide", (None, "weka")
)
KEEP_TRACE = Parameter("keep_trace", False, "switch", "keep every column's candidate and every pruning step", flag=None)
KEEP_ALTERNATIVES = Parameter("keep_alternatives", 0, "integer", "runner-up splits kept at each node")

C45 = Scheme(
    name="c45",
    title="C4.5",
    estimator="C45Classifier",
    module="hornbeam.learn.trees.c45",
    summary="gain-ratio tree for mixed columns and missing values, pruned by estimated error",
    predicts="category",
    parameters=(
        Parameter("confidence", 0.25, "number", "confidence of the error estimate: smaller prunes more"),
        Parameter("min_samples_leaf", 2, "number", "two branches of every split hold at least this much weight"),
        Parameter(
            "prune", "pessimistic", "choice", "how the grown tree is cut back", ("pessimistic", "reduced-error", None)
        ),
        Parameter("subtree_raising", True, "switch", "a branch may replace its parent when pruning"),
        Parameter(
            "nominal",
            "multiway",
            "choice",
            "branches of a nominal split",
            ("multiway", "one-vs-rest"),
            "nominal-splits",
        ),
        Parameter("mdl", True, "switch", "charge numeric splits for the choice of the cut"),
        Parameter("collapse", True, "switch", "make a leaf of a subtree that does not lower the training error"),
        Parameter("leaf", "distribution", "choice", "how a leaf estimates probabilities", ("distribution", "laplace")),
        Parameter(
            "threshold", "data-value", "choice", "where a cut stands between two values", ("midpoint", "data-value")
        ),
        Parameter("folds", 3, "integer", "reduced-error pruning holds out one part in this many"),
        N_JOBS,
        RANDOM_STATE,
        CLASS_WEIGHT,
        replace(COMPAT, choices=(None, "weka", "weka-3.9")),
        KEEP_TRACE,
        KEEP_ALTERNATIVES,
    ),
)

ID3 = Scheme(
    name="id3",
    title="ID3",
    estimator="ID3Classifier",
    module="hornbeam.learn.trees.id3",
    summary="the textbook information-gain tree, grown until pure, not pruned",
    predicts="category",
    parameters=(
        Parameter(
            "missing",
            "error",
            "choice",
            "what a missing value is: an error or a category",
            ("error", "own-category"),
            "missing-values",
        ),
        Parameter(
            "threshold", "midpoint", "choice", "where a cut stands between two values", ("midpoint", "data-value")
        ),
        Parameter("min_gain", 0.0, "number", "a split must gain more than this many bits"),
        Parameter("max_depth", None, "integer", "nodes at this depth are leaves"),
        N_JOBS,
        CLASS_WEIGHT,
        COMPAT,
        KEEP_TRACE,
        KEEP_ALTERNATIVES,
    ),
)

SCHEMES: tuple[Scheme, ...] = (C45, ID3)


def find(name: str) -> Scheme:
    """Give the scheme called `name`.

    Examples
    --------
    >>> find("c45").estimator
    'C45Classifier'
    """
    for scheme in SCHEMES:
        if scheme.name == name.lower():
            return scheme
    msg = f"no scheme is called {name!r}; expected one of {', '.join(scheme.name for scheme in SCHEMES)}"
    raise ValueError(msg)
