"""One model of several targets: it has a separate model for each target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.model.base.decision import Decision
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError, entry, sequence
from hornbeam.model.files.members import KINDS

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.base.stored import Members

SEVERAL = "several"


@dataclass(frozen=True, eq=False)
class SeveralModels(Model):
    """A model for each of several targets.

    Parameters
    ----------
    schema : Schema
        The features; it has no target.
    members : tuple of models
        The model of each target, with its own decision. Its features are among those of the schema.
    """

    KIND: ClassVar = SEVERAL
    PARTS: ClassVar = {"members": [kind for kind in KINDS if kind != SEVERAL]}
    PLAIN: ClassVar = {"members": None}

    schema: Schema
    members: tuple[Any, ...]

    def __repr__(self) -> str:
        targets = ", ".join(member.schema.target_column.name for member in self.members)
        return f"SeveralModels({self.schema.name!r}: {len(self.members)} targets, {targets})"

    def __len__(self) -> int:
        return len(self.members)

    @property
    def task(self) -> Any:  # noqa: ANN401 - none of the others
        """The task "several targets"; each member has its own task."""
        return SEVERAL

    def predict(self, rows: Any, n_threads: int = 1) -> AnyArray:  # noqa: ANN401 - rows of any sort
        """Predict every target of every row: an array of shape (rows, targets)."""
        given = self.as_table(rows)
        return stacked([member.predict(given, n_threads) for member in self.members])

    def predict_proba(self, rows: Any, n_threads: int = 1) -> Any:  # noqa: ANN401 - rows of any sort; a list
        """Return a list with the class probabilities of each target."""
        given = self.as_table(rows)
        return [member.predict_proba(given, n_threads) for member in self.members]

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> AnyArray:
        return np.column_stack([member.predict_codes(rows, n_threads) for member in self.members])

    def _probabilities(self, rows: Table | AnyArray, n_threads: int) -> Floats:  # noqa: ARG002 - as every model
        raise ModelError(f"there are {len(self.members)} targets; use each of `members`")

    def validate(self) -> None:
        """Check every model and its features; raise a `ModelError` if one is wrong."""
        if len(self.members) < 2:  # noqa: PLR2004 - several
            msg = f"{len(self.members)} models were found; expected two targets or more"
            raise ModelError(msg)
        own = {self.schema.columns[place] for place in self.schema.features}
        if self.schema.target is not None:
            raise ModelError("the schema of several models has a target; expected features only")
        for number, member in enumerate(self.members, start=1):
            try:
                member.validate()
            except ModelError as error:
                msg = f"target {number}: {error}"
                raise ModelError(msg) from None
            if member.schema.target is None:
                msg = f"model {number} has no target"
                raise ModelError(msg)
            if not {member.schema.columns[place] for place in member.schema.features} <= own:
                msg = f"the model of target {number} has a column that the schema does not have"
                raise ModelError(msg)

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays; every member with its decision."""
        plain = super().to_plain()
        for one, member in zip(plain["members"], self.members, strict=True):
            one["decision"] = None if member.decision is None else member.decision.to_json()
        return plain

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the models and their decisions."""
        found = super().from_file(plain, schema, members)
        for one, member in zip(sequence(entry(plain, "members")), found.members, strict=True):
            decision = entry(one, "decision")
            if decision is not None:
                object.__setattr__(member, "decision", Decision.from_json(decision, member.schema))
        return found


def stacked(columns: list[AnyArray]) -> AnyArray:
    """Predictions of several targets as columns of one array; an object array if some are texts and some numbers."""
    if len({column.dtype.kind for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return np.column_stack(columns)
