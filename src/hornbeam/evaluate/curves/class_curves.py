"""Curves of several classes, each against all others: ROC, precision and recall, lift, calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.evaluate.curves.calibration_curve import CalibrationCurve, calibration, calibration_chart
from hornbeam.evaluate.curves.ranking_curves import (
    LiftCurve,
    PrecisionRecallCurve,
    RocCurve,
    lift,
    lift_chart,
    precision_recall,
    precision_recall_chart,
    roc,
    roc_chart,
)
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from hornbeam.show.plot import Axes

ClassCurve = RocCurve | PrecisionRecallCurve | LiftCurve | CalibrationCurve
Kind = Literal["roc", "precision-recall", "lift", "calibration"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAKE: dict[Kind, Callable[..., ClassCurve]] = {
    "roc": roc,
    "precision-recall": precision_recall,
    "lift": lift,
    "calibration": calibration,
}
DRAW: dict[Kind, Callable[..., Any]] = {
    "roc": roc_chart,
    "precision-recall": precision_recall_chart,
    "lift": lift_chart,
    "calibration": calibration_chart,
}


@dataclass(frozen=True, eq=False, repr=False)
class ClassCurves(ShowsText):
    """Result of `class_curves`.

    Parameters
    ----------
    kind : str
        The kind of curves.
    curves : dict of str to curve
        By class.
    """

    kind: Kind
    curves: dict[str, ClassCurve]

    @property
    def auc(self) -> float | None:
        """The mean of the areas under ROC curves, by the weight of the classes; None for other curves."""
        curves = [curve for curve in self.curves.values() if isinstance(curve, RocCurve)]
        total = sum(curve.inside for curve in curves)
        return sum(curve.auc * curve.inside for curve in curves) / total if curves else None

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kind": self.kind,
            **({} if self.auc is None else {"auc": self.auc}),
            "curves": [{"class": name} | curve.to_json() for name, curve in self.curves.items()],
        }

    def text(self) -> str:
        """One line per class, or all details if there is one class; without a trailing newline."""
        if len(self.curves) == 1:
            ((name, curve),) = self.curves.items()
            return f"class {printable(name, NAME_LIMIT)}: {curve.text()}"
        heads = next(iter(self.curves.values())).key_numbers()
        rows = [["class", "weight", *heads]]
        for name, curve in self.curves.items():
            rows.append([printable(name, NAME_LIMIT), f"{curve.inside:g}", *curve.key_numbers().values()])
        lines = aligned(rows)
        if self.auc is not None:
            lines += ["", f"AUC of all classes, by their weight: {self.auc:.3f}"]
        return "\n".join(lines)

    def chart(self, *, axes: Axes = None) -> Axes:
        """All curves on one pair of axes, drawn by matplotlib."""
        return DRAW[self.kind](self.curves, axes=axes)


def class_curves(
    kind: Kind,
    truth: ArrayLike,
    probabilities: ArrayLike,
    categories: Sequence[str],
    weights: ArrayLike | None = None,
    *,
    only: str | None = None,
    **options: Any,  # noqa: ANN401 - of the curve
) -> ClassCurves:
    """Compute a curve for every class against all others.

    Parameters
    ----------
    kind : {"roc", "precision-recall", "lift", "calibration"}
        Which curve.
    truth : array of int
        Codes of the true classes, -1 if unknown.
    probabilities : array, (rows, classes)
        The predicted class probabilities.
    categories : sequence of str
        Names of the classes.
    weights : array, optional
        Row weights.
    only : str, optional
        One class. By default, if there are two classes, the one with less weight; else every class that occurs.
    **options
        Options of the curve, such as `bins` of a calibration.

    Returns
    -------
    ClassCurves

    Examples
    --------
    >>> found = class_curves("roc", [0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]], ["no", "yes"])
    >>> {name: curve.auc for name, curve in found.curves.items()}
    {'no': 1.0}
    """
    codes, given = np.asarray(truth), np.asarray(probabilities, np.float64)
    if given.shape != (len(codes), len(categories)):
        msg = f"probabilities has shape {given.shape}; expected ({len(codes)}, {len(categories)}), rows by categories"
        raise ValueError(msg)
    if only is not None and only not in categories:
        raise ValueError(f"there is no class {only!r}; the classes: {', '.join(categories)}")
    known = codes >= 0
    counted = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    weight = np.bincount(codes[known], counted[known], len(categories))
    occurring = np.flatnonzero(weight > 0).tolist()
    if only is not None:
        chosen = [list(categories).index(only)]
    elif len(occurring) == 2:  # noqa: PLR2004 - each is the other's rest
        chosen = [min(occurring, key=lambda code: weight[code])]
    else:
        chosen = occurring
    make = MAKE[kind]
    return ClassCurves(
        kind, {categories[code]: make(codes, given[:, code], weights, positive=code, **options) for code in chosen}
    )
