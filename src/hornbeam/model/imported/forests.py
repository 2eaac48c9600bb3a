"""Convert forests and boosting of other programs to a `Forest`: drafts of trees, and how they are combined."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.forests.forest import Forest
from hornbeam.model.forests.precision import two_singles
from hornbeam.model.imported.draft import renumber

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.schema import Column, Schema
    from hornbeam.model.imported.draft import Draft


Link = Literal["identity", "logistic", "softmax", "exp"]  # as `Forest.link`


@dataclass(frozen=True)
class Together:
    """How trees are combined.

    Parameters
    ----------
    combine, link, base, output
        As in `Forest`.
    wide : bool
        Whether values of drafts are class probabilities or one score per output; otherwise they are weight, mean and
        squared error.
    scale : float
        A factor of every value.
    """

    base: NDArray[np.float64]
    link: Link = "identity"
    combine: Literal["mean", "sum"] = "sum"
    output: NDArray[np.int32] | None = None
    wide: bool = False
    scale: float = 1.0


def assemble_forest(
    schema: Schema, drafts: Sequence[Draft], together: Together, recipe: Mapping[str, str | float | bool | None]
) -> Forest:
    """Convert drafts of trees to a forest, fully checked.

    Parameters
    ----------
    schema : Schema
        The features, in the positions that the drafts name, and the target.
    drafts : sequence of Draft
        The trees.
    together : Together
        How they are combined.
    recipe : mapping
        The origin of the forest, as plain values.
    """
    if not drafts:
        raise ModelError("the model has no trees; expected at least one tree")
    n_features = len(schema.features)
    sets = [isinstance(column, Nominal) and not column.ordered for column in schema.columns[:n_features]]
    parts: dict[str, list[NDArray[Any]]] = {}
    codes: list[Sequence[int]] = []
    start = 0
    for draft in drafts:
        source, _, first_child = renumber(draft)
        inner = first_child >= 0
        value = draft.value[source] if together.wide else draft.value[source, 1:2]
        part = {
            "feature": np.where(inner, draft.column[source], -1).astype(np.int32),
            "cut": np.where(inner & ~np.array(sets, np.bool_)[draft.column[source]], draft.cut[source], 0.0),
            "first_child": np.where(inner, first_child + start, -1).astype(np.int32),
            "missing": (inner & ~draft.missing_low[source]).astype(np.int8),
            "weight": draft.weight[source].astype(np.float32),
            "value": value * together.scale,
            "gain": np.where(inner, np.nan_to_num(draft.score[source]), 0.0).astype(np.float32),
        }
        for name, array in part.items():
            parts.setdefault(name, []).append(array)
        codes += [draft.codes.get(node, ()) if branches else () for node, branches in zip(source, inner, strict=True)]
        start += len(source)
    joined: dict[str, Any] = {name: np.ascontiguousarray(np.concatenate(arrays)) for name, arrays in parts.items()}
    joined["value"], rest = two_singles(joined["value"])
    if rest is not None and rest[joined["first_child"] < 0].any():  # predictions are those of leaves
        joined["rest"] = rest
    if any(sets):
        joined["set_start"] = np.cumsum([0, *map(len, codes)]).astype(np.int64)
        joined["codes"] = np.array([code for listed in codes for code in listed], np.int32)
    forest = Forest(
        schema=schema,
        roots=offsets(np.array([len(part) for part in parts["feature"]])),
        base=together.base,
        combine=together.combine,
        link=together.link,
        output=together.output,
        recipe=recipe,
        **joined,
    )
    forest.validate()
    return forest


def named_classes(given: Any, found: Any, n_classes: int) -> tuple[str, ...]:  # noqa: ANN401 - whatever the object holds
    """The names of the classes: those given, or those of the object, or 0, 1 and so on."""
    listed = given if given is not None else found if found is not None else range(n_classes)
    named = tuple(text_of(label) for label in listed)
    if len(named) != n_classes:
        msg = f"{len(named)} classes were named; the model has {n_classes}"
        raise ModelError(msg)
    if len(set(named)) != len(named):
        msg = f"two classes have the same name: {', '.join(map(repr, named))}; give names that differ as classes=[...]"
        raise ModelError(msg)
    return named


def text_of(category: object) -> str:
    """A category's name as in tables."""
    if isinstance(category, bool | np.bool_):
        return str(bool(category)).lower()
    return show_number(float(category)) if isinstance(category, numbers.Real) else str(category)


def make_target(target: str, link: str, classes: Sequence[str] | None) -> Column:
    """The target: classes, or a number."""
    return Nominal(target, tuple(classes)) if classes is not None and link != "exp" else Numeric(target)


def given_categories(names: Sequence[str], given: Mapping[str, Sequence[Any]] | None) -> dict[int, tuple[str, ...]]:
    """The given names of categories, by position of the column; an error for an unknown column."""
    strange = [name for name in given or {} if name not in names]
    if strange:
        msg = f"categories were given for {strange[0]!r}; the columns are {', '.join(map(repr, names))}"
        raise ModelError(msg)
    return {list(names).index(name): tuple(map(text_of, listed)) for name, listed in (given or {}).items()}
