"""A classifier of intervals as text: what each interval stands for, and the classifier itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.show.texts.wording import number_column, printable, width

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.model.linear.discretized import DiscretizedModel


def write(model: DiscretizedModel, write_classifier: Callable[[Any], str]) -> str:
    """Write the intervals with their numbers, and below them the classifier in any style."""
    names = [printable(name) for name in model.classifier.schema.target_column.categories]
    room = max(map(width, names))
    figures = number_column(model.values.tolist())
    far = max(map(len, figures))
    target = printable(model.schema.target_column.name)
    lines = [f"{target}: the mean of these, weighted by the shares of the intervals"]
    lines += [
        f"  {name}{' ' * (room - width(name))}  {figure.rjust(far)}"
        for name, figure in zip(names, figures, strict=True)
    ]
    return "\n".join([*lines, "", write_classifier(model.classifier)])
