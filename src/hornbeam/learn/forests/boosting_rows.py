"""The rows that `fit` of boosting takes besides the training rows, and the checks of a model to continue."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hornbeam._names import listed
from hornbeam.data.as_table import as_table, is_frame
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import has_target, unweighted, usable_rows, with_weights
from hornbeam.learn.base.several_targets import named_targets, target_columns
from hornbeam.learn.base.sparse_input import checked_sparse
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.schema import Schema
    from hornbeam.learn.forests.boosting_losses import Loss
    from hornbeam.model.forests.forest import Forest

PAIR = 2


@dataclass(frozen=True)
class GivenSet:
    """One set of `eval_set`, as it was given."""

    name: str
    rows: Any  # a Table, or X and y
    weights: Any = None

    def as_table(self, schema: Schema, *, counts: bool = False) -> Table:
        """The rows with a target and a weight above zero, with the columns and codes of the training table.

        With `counts`, no target may be below zero.
        """
        given = self._table(schema)
        if given.schema.target is None:
            msg = f"{self.name} has no target; expected the column {schema.target_column.name!r}, or a pair (X, y)"
            raise SchemaError(msg)
        if self.weights is not None:
            weights = np.asarray(self.weights, np.float64)
            if weights.shape != (given.n_rows,):
                msg = f"eval_sample_weight of {self.name} has the shape {weights.shape} for {given.n_rows} rows"
                raise ValueError(msg)
            try:
                given = with_weights(unweighted(given), weights)
            except ValueError as error:
                msg = f"eval_sample_weight of {self.name}: {error}"
                raise ValueError(msg) from None
        known = has_target(given)
        given = given.take(usable_rows(given))
        if not given.n_rows:
            msg = f"none of the {len(known)} rows of {self.name} in eval_set has a target and a weight above zero"
            raise ValueError(msg)
        self._check_target(given, schema)
        target = given.schema.target_column
        if counts and (low := given.target_values().min()) < 0:
            msg = f"{self.name} of eval_set has the target {low:g}; the loss 'poisson' expects numbers of at least 0"
            raise ValueError(msg)
        aligned = align(replace(schema, columns=_renamed(schema, target.name)), unweighted(given))
        table = unweighted(Table(schema, aligned.columns, copy=False))
        return table if given.weights is None else with_weights(table, given.weights)

    def of_target(self, number: int) -> GivenSet:
        """The same with one of several targets."""
        if isinstance(self.rows, Table):
            msg = f"{self.name} of eval_set is a Table, with one target; there are several: expected a pair (X, y)"
            raise ValueError(msg)  # noqa: TRY004 - a table is expected for one target
        rows, y = named_targets(*self.rows)
        columns = target_columns(y)
        if columns is None or number >= len(columns):
            found = 1 if columns is None else len(columns)
            msg = f"y of {self.name} in eval_set has {found} column{'s' if found > 1 else ''}; expected one per target"
            raise ValueError(msg)
        return replace(self, rows=(rows, columns[number]))

    def _table(self, schema: Schema) -> Table:
        if isinstance(self.rows, Table):
            return self.rows
        rows, y = self.rows
        if sparse.issparse(rows):
            rows = checked_sparse(rows).toarray()
        classes = isinstance(schema.target_column, Nominal)
        if isinstance(y, str):
            return as_table(rows, target=y, like=schema, classes=classes)
        if not is_frame(rows) and not isinstance(rows, dict):
            shape = np.shape(rows)
            if len(shape) != PAIR or shape[1] != len(schema.features):
                msg = f"X of {self.name} in eval_set has the shape {shape}; expected {len(schema.features)} columns"
                raise ValueError(msg)
        return as_table(rows, y, like=schema, classes=classes)

    def _check_target(self, table: Table, schema: Schema) -> None:
        wanted, found = schema.target_column, table.schema.target_column
        if isinstance(wanted, Nominal) != isinstance(found, Nominal):
            kinds = {True: "categories", False: "numbers"}
            msg = (
                f"the target {found.name!r} of {self.name} in eval_set holds {kinds[isinstance(found, Nominal)]}; "
                f"expected {kinds[isinstance(wanted, Nominal)]}, as in the training rows"
            )
            raise SchemaError(msg)
        if isinstance(wanted, Nominal) and isinstance(found, Nominal):
            present = np.unique(table.target_values())
            strange = [found.categories[code] for code in present if found.categories[code] not in wanted.categories]
            if strange:
                msg = (
                    f"{self.name} of eval_set has the class {strange[0]!r}, which no training row has; the classes are "
                    f"{', '.join(map(repr, wanted.categories))}"
                )
                raise ValueError(msg)


def _renamed(schema: Schema, name: str) -> tuple[Any, ...]:
    """The columns of a schema, its target under another name."""
    return tuple(
        replace(column, name=name) if place == schema.target else column for place, column in enumerate(schema.columns)
    )


def given_sets(eval_set: Any, weights: Any, names: Sequence[str] | None) -> list[GivenSet]:
    """The sets of `eval_set`: one or several, each a Table or a pair (X, y)."""
    if eval_set is None:
        if weights is not None or names is not None:
            raise ValueError("eval_sample_weight and eval_names describe the sets of eval_set, which is None")
        return []
    if isinstance(eval_set, Table) or _is_pair(eval_set):
        eval_set, weights = (
            [eval_set],
            None if weights is None else [weights] if not _is_list_of_one(weights) else weights,
        )
    if not isinstance(eval_set, list | tuple) or not eval_set:
        msg = f"eval_set is {_kind(eval_set)}; expected a Table, a pair (X, y) or (frame, 'y'), or a list of these"
        raise ValueError(msg)
    for number, one in enumerate(eval_set):
        if not isinstance(one, Table) and not _is_pair(one):
            msg = f"entry {number + 1} of eval_set is {_kind(one)}; expected a Table or a pair (X, y) or (frame, 'y')"
            raise ValueError(msg)
    n = len(eval_set)
    for what, given in (("eval_sample_weight", weights), ("eval_names", names)):
        if given is not None and (isinstance(given, str) or len(given) != n):
            msg = f"{what} has {len(given)} entries; expected one for each of the {n} sets of eval_set"
            raise ValueError(msg)
    chosen = [f"valid_{number}" for number in range(n)] if names is None else list(map(str, names))
    if len(set(chosen)) < n:
        msg = f"eval_names are {', '.join(map(repr, chosen))}; expected names that differ"
        raise ValueError(msg)
    return [GivenSet(chosen[k], eval_set[k], None if weights is None else weights[k]) for k in range(n)]


def _is_pair(given: Any) -> bool:
    """Whether it is X and y, not two sets or two rows."""
    if not isinstance(given, tuple | list) or len(given) != PAIR or isinstance(given[0], Table):
        return False
    return not all(isinstance(one, tuple) for one in given)


def _is_list_of_one(weights: Any) -> bool:
    return isinstance(weights, list | tuple) and len(weights) == 1 and np.ndim(weights[0]) == 1


def _kind(given: Any) -> str:
    return (
        f"a {type(given).__name__} of {len(given)}" if isinstance(given, list | tuple) else f"a {type(given).__name__}"
    )


def checked_before(before: Forest, table: Table, loss: Loss, n_estimators: int) -> Forest:
    """The model of the last fit, if boosting of this table can continue it."""
    schema = table.schema
    own = [*(before.schema.columns[place] for place in before.schema.features), before.schema.target_column]
    new = [*(schema.columns[place] for place in schema.features), schema.target_column]
    again = "or fit with warm_start=False"
    if len(own) != len(new):
        msg = f"warm_start continues a model of {len(own) - 1} feature columns; found {len(new) - 1}, {again}"
        raise SchemaError(msg)
    for one, other in zip(own, new, strict=True):
        if one != other:
            msg = (
                f"warm_start continues a model with the column {_described(one)}; found {_described(other)}: "
                f"expected the same columns, categories and classes, {again}"
            )
            raise SchemaError(msg)
    if before.combine != "sum" or before.link != loss.link or before.n_outputs != loss.n_outputs:
        msg = f"warm_start continues a model of another loss than {loss.name!r}; expected the same loss, {again}"
        raise ValueError(msg)
    n_rounds = before.n_trees // before.n_outputs
    if n_estimators < n_rounds:
        msg = (
            f"n_estimators is {n_estimators}, and warm_start continues after {n_rounds} rounds; expected at least as "
            f"many, {again}"
        )
        raise ValueError(msg)
    return before if before.schema == schema else replace(before, schema=schema)


def _described(column: Any) -> str:
    if isinstance(column, Nominal):
        return f"{column.name!r} of categories {listed(column.categories)}"
    return f"{column.name!r} of numbers"
