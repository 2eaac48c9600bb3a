"""What a scheme is: a way of learning with a name, an estimator and parameters; `schemes/__init__.py` lists them all.

Parameters that mean the same in every scheme stand here too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from hornbeam.schemes.search_range import Range, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.schemes.search_range import Search

Kind = Literal["number", "integer", "switch", "choice", "costs", "figures", "groups", "words"]
Predicts = Literal["category", "number", "cluster"]
BuiltOn = Literal["category", "weighted category", "number"]


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
        ``"number"``, ``"integer"``, ``"switch"`` (true or false) or ``"choice"``; ``"costs"`` (a number for two names),
        ``"figures"`` (a number for a name), ``"groups"`` (lists of names) or ``"words"`` (a word and numbers for a
        name), each of which may be given repeatedly.
    summary : str
        What it does, in one line.
    choices : tuple
        The possible choices; None among them if the parameter may be left open.
    flag : str, optional
        Its name on the command line, if that of the signature is used by an option for reading data
        (``--nominal COLUMN``); None if a command sets the parameter itself.
    search : Range or tuple, optional
        Where `evaluate.tune` looks for its best value: numbers, or some choices; None if it is not to be tuned.
    built_on : {"category", "weighted category", "number"}, optional
        If the parameter names another scheme: what that scheme predicts, and whether it must take row weights. The
        list of schemes adds all such schemes to the choices.
    """

    name: str
    default: Value
    kind: Kind
    summary: str
    choices: tuple[Value, ...] = ()
    flag: str | None = ""
    search: Search | None = None
    built_on: BuiltOn | None = None

    @property
    def option(self) -> str | None:
        """The command-line option, such as ``--min-samples-leaf``; None if there is none."""
        return None if self.flag is None else "--" + (self.flag or self.name.replace("_", "-"))


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way of learning: its short name, its estimator and its parameters."""

    name: str
    title: str
    estimator: str
    module: str
    summary: str
    predicts: Predicts
    parameters: tuple[Parameter, ...]
    makes: str = "tree"  # what its model is called when it is shown
    takes_weights: bool = True  # of rows

    @property
    def heading(self) -> str:
        """What a model of the scheme is called above it: the title, and what it makes unless the title says so."""
        says_it = self.makes in ("instances", "margin") or self.title.endswith(self.makes)
        return self.title if says_it else f"{self.title} {self.makes}"

    def has(self, parameter: str) -> bool:
        """Whether the estimator has a parameter of this name."""
        return any(own.name == parameter for own in self.parameters)

    def load(self) -> Any:  # noqa: ANN401 - estimators share no base of ours
        """Import the estimator class; this is where scikit-learn is first needed."""
        return getattr(import_module(self.module), self.estimator)


def with_base_schemes(schemes: Iterable[Scheme]) -> tuple[Scheme, ...]:
    """Return the schemes; those built on another scheme get the names of all possible ones as choices."""
    every = tuple(schemes)
    names: dict[BuiltOn, tuple[str, ...]] = {
        "category": tuple(scheme.name for scheme in every if scheme.predicts == "category"),
        "weighted category": tuple(s.name for s in every if s.predicts == "category" and s.takes_weights),
        "number": tuple(scheme.name for scheme in every if scheme.predicts == "number"),
    }

    def filled(parameter: Parameter) -> Parameter:
        if parameter.built_on is None:
            return parameter
        return replace(parameter, choices=(*parameter.choices, *names[parameter.built_on]))

    return tuple(replace(scheme, parameters=tuple(map(filled, scheme.parameters))) for scheme in every)


# Ranges that several schemes search.
FEW_ROWS = Range(1, 64, "whole", 7, simpler="high")  # least weight of a leaf or a rule
DEPTHS = Range(1, 16, "whole", 5, simpler="low")
CONFIDENCES = Range(0.01, 0.5, "log", 6, simpler="low")
RIDGES = Range(1e-8, 100, "log", 6, simpler="high")

# Parameters that mean the same in every scheme.
N_JOBS = Parameter("n_jobs", None, "integer", "threads: none for one, -1 for every core")
RANDOM_STATE = Parameter("random_state", None, "integer", "random seed")
CLASS_WEIGHT = Parameter(
    "class_weight",
    None,
    "choice",
    "balanced: every class counts the same, however many rows it has",
    (None, "balanced"),
)
COSTS = Parameter(
    "costs", None, "costs", "cost of predicting the second class if the first is true (repeatable)", flag="cost"
)
DECISION_THRESHOLD = Parameter(
    "decision_threshold", None, "number", "two classes: predict the second if its probability is at least this"
)
DECISIONS = (CLASS_WEIGHT, COSTS, DECISION_THRESHOLD)
COMPAT = Parameter(
    "compat", None, "choice", "weka: follow WEKA where its own random numbers or rules decide", (None, "weka")
)
MONOTONE = Parameter(
    "monotone", None, "figures", "prediction only rises (1) or falls (-1) with the column (repeatable)"
)
KEEP_TRACE = Parameter(
    "keep_trace", False, "switch", "keep the best split of every column and every pruning step", flag=None
)
KEEP_ALTERNATIVES = Parameter("keep_alternatives", 0, "integer", "runner-up splits kept at each node")

# Parameters of C4.5 trees and of the rules made from them.
NOMINAL_BRANCHES = Parameter(
    "nominal", "multiway", "choice", "branches of a nominal split", ("multiway", "one-vs-rest"), "nominal-splits"
)
MDL = Parameter("mdl", True, "switch", "lower the gain of numeric splits by the cost of choosing the cut")
CUT_VALUE = Parameter(
    "threshold", "data-value", "choice", "where to put a cut between two values", ("midpoint", "data-value")
)

# Parameters of distances between rows.
METRIC = Parameter(
    "metric",
    "euclidean",
    "choice",
    "root of the sum of squared differences, or sum of differences",
    ("euclidean", "manhattan"),
)
NUMERIC_SCALE = Parameter(
    "numeric", "range", "choice", "how numbers are scaled", ("range", "deviation", "rank", "as-is"), "numeric-scale"
)
MISSING_DIFFERENCE = Parameter(
    "missing",
    "average",
    "choice",
    "a missing value has the maximum difference, none, or the average difference",
    ("farthest", "ignore", "average"),
    "missing-difference",
)
COLUMN_WEIGHTS = Parameter("column_weights", None, "figures", "weight of a column's differences (repeatable)")
