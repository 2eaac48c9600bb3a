"""Models that answer together, as text: how they decide, and each member in a line or in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import plural
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.model.forests.ensemble import Ensemble

HOW = {"mean": "the mean of", "vote": "the votes of"}


def write(model: Ensemble) -> str:
    """Write what the members are, one a line."""
    room = len(str(len(model.members)))
    lines = [f"{printable(model.schema.target_column.name)}: {HOW[model.decide]} {len(model.members)} models"]
    lines += [f"  {number:{room}}  {_size(member)}" for number, member in enumerate(model.members, start=1)]
    return "\n".join(lines)


def write_members(model: Ensemble, write_member: Callable[[Any], str]) -> str:
    """Write every member in full, one after another."""
    parts = [f"member {number}\n\n{write_member(member)}" for number, member in enumerate(model.members, start=1)]
    return "\n\n".join([write(model).partition("\n")[0], *parts])


def _size(member: Any) -> str:  # noqa: ANN401 - any model
    """Say in a few words what a member is."""
    if isinstance(member, Tree):
        return f"tree: {plural(member.n_leaves, 'leaf', 'leaves')}, depth {member.depth}"
    if isinstance(member, RuleList):
        return f"rules: {len(member.rules)}"
    return repr(member)
