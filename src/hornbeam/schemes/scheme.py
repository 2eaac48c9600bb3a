"""What a scheme is: a way of learning with a name, an estimator and parameters; `schemes/__init__.py` lists them all.

Parameters that mean the same in every scheme are defined here too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable


Kind = Literal["number", "integer", "switch", "choice", "costs", "figures", "groups", "words"]
Predicts = Literal["category", "number", "cluster"]
BuiltOn = Literal["category", "weighted category", "number"]


Value = str | int | float | bool | None
Scale = Literal["linear", "log", "whole"]

FIGURES = 3  # significant digits of the values to try, so that the values shown are exact
NEAR_WHOLE = 1e-9


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included.

    Examples
    --------
    >>> Range(0.001, 1, "log", 4).values(), Range(1, 64, "whole", 4).values(), Range(0, 3, "whole", 4).values()
    ((0.001, 0.01, 0.1, 1.0), (1, 4, 16, 64), (0, 1, 2, 3))
    """

    # low, high: the ends
    low: float
    high: float
    # {"linear", "log", "whole"}: equal steps, equal ratios, or integers in about equal ratios (all of them, if they are
    # few)
    scale: Scale = "linear"
    steps: int = 5  # number of values of the coarse grid
    simpler: Literal["low", "high"] | None = None  # the end at which models are simpler, if either
    # another parameter, and its values for which this one has an effect
    where: tuple[str, tuple[Value, ...]] | None = None

    def __post_init__(self) -> None:
        """Raise an error for an empty or invalid range."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            msg = f"a range goes from {self.low} to {self.high}; expected two finite numbers, the lower first"
            raise ValueError(msg)
        if self.scale not in ("linear", "log", "whole"):
            msg = f"the scale of a range is {self.scale!r}; expected linear, log or whole"
            raise ValueError(msg)
        if self.scale == "log" and self.low <= 0:
            msg = f"a range on a log scale starts at {self.low}; expected more than 0"
            raise ValueError(msg)
        if self.scale == "whole" and not (float(self.low).is_integer() and float(self.high).is_integer()):
            msg = f"a range of whole numbers goes from {self.low} to {self.high}; expected whole numbers"
            raise ValueError(msg)
        if self.steps < 2:  # noqa: PLR2004 - both ends
            msg = f"a range has {self.steps} steps; expected 2 or more"
            raise ValueError(msg)

    @property
    def by_ratio(self) -> bool:
        """Whether equal ratios are equal steps."""
        return self.scale == "log" or (self.scale == "whole" and self.low > 0)

    def values(self) -> tuple[float | int, ...]:
        """Return the numbers of the coarse grid, ascending."""
        if self.scale == "whole" and self.high - self.low < self.steps:
            return tuple(range(int(self.low), int(self.high) + 1))
        return tuple(sorted({self.at(step / (self.steps - 1)) for step in range(self.steps)}))

    def place(self, value: float) -> float:
        """Return the position of a number on the scale: 0 at the low end, 1 at the high end."""
        if not self.by_ratio:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low) if value > 0 else -math.inf

    def at(self, place: float) -> float | int:
        """Return the number at a position on the scale, rounded to few digits (powers of two are kept as they are)."""
        if place in (0, 1):
            return self._plain(self.high if place else self.low)
        value: float
        if self.by_ratio:
            value = self.low * (self.high / self.low) ** place
        else:
            value = self.low + (self.high - self.low) * place
        if self.scale == "whole":
            return round(value)
        if value > 0 and abs(math.log2(value) - round(math.log2(value))) < NEAR_WHOLE:
            return self._plain(2.0 ** round(math.log2(value)))
        return self._plain(float(f"{value:.{FIGURES}g}"))

    def between(self, one: float, other: float) -> float | int:
        """Return the number halfway between two others on the scale."""
        return self.at((self.place(one) + self.place(other)) / 2)

    def _plain(self, value: float) -> float | int:
        return int(value) if self.scale == "whole" else float(value)  # 1 may be a count and 1.0 a fraction


Search = Range | tuple[Value, ...]


def describe(search: Search) -> str:
    """Describe a search range in a few words.

    Examples
    --------
    >>> describe(Range(0.01, 0.5, "log")), describe(("sqrt", None))
    ('0.01 to 0.5', 'sqrt, none')
    """
    if isinstance(search, Range):
        return f"{search.low:g} to {search.high:g}"
    return ", ".join("none" if value is None else str(value) for value in search)


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
        The possible choices; they include None if the parameter may be None.
    flag : str, optional
        Its name on the command line, if the name in the signature is already an option of the commands
        (``--nominal COLUMN``, ``--order COLUMN``); None if a command sets the parameter itself.
    search : Range or tuple, optional
        The values that `evaluate.tune` searches: numbers, or some choices; None if it is not tuned.
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
    makes: str = "tree"  # the name of its kind of model
    takes_weights: bool = True  # whether it takes row weights

    @property
    def heading(self) -> str:
        """The heading of a model of the scheme: the title, and the kind of model unless the title includes it."""
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
FEW_ROWS = Range(1, 64, "whole", 7, simpler="high")  # minimum weight of a leaf or a rule
DEPTHS = Range(1, 16, "whole", 5, simpler="low")
CONFIDENCES = Range(0.01, 0.5, "log", 6, simpler="low")
RIDGES = Range(1e-8, 100, "log", 6, simpler="high")

# Parameters that mean the same in every scheme.
N_JOBS = Parameter("n_jobs", None, "integer", "threads: none for one, -1 for every core; the result is the same")
DEVICE = Parameter(
    "device", "cpu", "choice", "cuda: learn on an NVIDIA GPU; the model is the same", ("cpu", "cuda", "auto")
)
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
    "monotonic_cst", None, "figures", "prediction only rises (1) or falls (-1) with the column (repeatable)"
)
VERBOSE = Parameter("verbose", 0, "integer", "1 or 2: write progress on standard error", flag=None)
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
