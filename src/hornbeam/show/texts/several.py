"""Models of several targets as text: the model of each target, under its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.show.texts.explanation import explain
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.show.texts.styles import Request


def in_style(model: Any, request: Request) -> str:  # noqa: ANN401 - SeveralModels
    """Write the model of each target."""
    return _under_names(model, [request.text(member) for member in model.members])


def explained(model: Any, table: Table, row: int) -> str:  # noqa: ANN401 - SeveralModels
    """Explain the prediction of each target."""
    return _under_names(model, [explain(member, table, row) for member in model.members])


def _under_names(model: Any, texts: list[str]) -> str:  # noqa: ANN401 - SeveralModels
    names = [printable(member.schema.target_column.name) for member in model.members]
    heads = (f"target {number} of {len(names)}: {name}" for number, name in enumerate(names, start=1))
    return "\n\n".join(f"{head}\n\n{text}" for head, text in zip(heads, texts, strict=True))
