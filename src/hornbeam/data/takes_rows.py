"""A decorator for functions of a table, so that they also take data frames and arrays.

    @takes_rows(needs_target=True)
    def cross_validate(estimator, table, folds=10): ...

Callers may then write ``cross_validate(tree, X, y)``, ``cross_validate(tree, frame, target="species")`` or, as before,
``cross_validate(tree, table, 5)``; the function itself is always given a Table.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

from hornbeam.data.as_table import as_table, codes_of, is_frame, predicts_classes, schema_of
from hornbeam.data.schema import SchemaError
from hornbeam.data.table import Table

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

PARAMETERS = """
    y : array or str, optional
        Unless `{table}` is a Table: the target of every row, or the name of its column.{third}
    target : str or int, optional
        The column of `{table}` that is the target.
"""
THIRD = " It may follow `{table}` without its name."


class TakesRows(Protocol[P, R_co]):
    """A function of a table that also takes a frame or an array, with ``y`` or ``target``."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(
        self,
        *args: Any,  # noqa: ANN401 - those of the function
        y: Any = None,  # noqa: ANN401 - values of any sort
        target: str | int | None = None,
        **kwargs: Any,  # noqa: ANN401 - those of the function
    ) -> R_co: ...


def takes_rows(
    *,
    needs_target: bool = False,
    learns: bool = False,
    table: str = "table",
    also: tuple[str, ...] = (),
    several: bool = False,
    labels: str | None = None,
    lazy: bool = False,
) -> Callable[[Callable[P, R_co]], TakesRows[P, R_co]]:
    """Make a function of a table accept anything that `hornbeam.data.as_table.as_table` accepts.

    Parameters
    ----------
    needs_target : bool
        Whether the function needs a target; y may then follow the rows without its name.
    learns : bool
        Whether the function fits its estimator, so that the schema of an earlier fit does not apply to the rows.
    table : str
        The parameter that is a table. The first parameter, if it is another one, is the model or the estimator.
    also : tuple of str
        Further parameters that are tables, if they are given.
    several : bool
        Whether a list or a mapping of tables may be given.
    labels : str, optional
        A parameter of class codes; where the rows are not a Table, labels are given instead.
    lazy : bool
        Whether the function also takes the result of `hornbeam.scan`, which is not converted.
    """

    def decorate(function: Callable[P, R_co]) -> TakesRows[P, R_co]:
        signature = inspect.signature(function)
        names = list(signature.parameters)
        place = names.index(table)

        def run(given: tuple[Any, ...], y: Any, target: Any, options: dict[str, Any]) -> R_co:  # noqa: ANN401
            args = list(given)
            if needs_target and y is None and target is None and _is_target(args[place : place + 2]):
                y = args.pop(place + 1)
            bound = signature.bind(*args, **options)
            model = bound.arguments.get(names[0]) if place else None
            known: dict[str, Any] = {"classes": predicts_classes(model)} if learns else {"like": model}
            rows = bound.arguments.get(table)
            found = None
            as_given = callable(rows) or (lazy and hasattr(rows, "fit_estimator"))
            if not (as_given or (rows is None and y is None and target is None)):
                found = bound.arguments[table] = _tables(rows, y, target, known, several=several)
                if needs_target and _lacks_target(found) and not isinstance(rows, Table):
                    raise SchemaError(_without_target(function.__name__, names[0] if place else None, found))
                if labels is not None and not isinstance(rows, Table):
                    bound.arguments[labels] = codes_of(bound.arguments[labels], found.schema.target_column)
            for name in also:
                if not isinstance(bound.arguments.get(name), Table | int | float | None):
                    bound.arguments[name] = _like_the_first(bound.arguments[name], found, known)
            return function(*bound.args, **bound.kwargs)

        def call(*args: Any, y: Any = None, target: Any = None, **options: Any) -> R_co:  # noqa: ANN401
            return run(args, y, target, options)

        # With the globals of the function, so that doctest counts its examples among those of its module.
        wrapped = types.FunctionType(call.__code__, function.__globals__, closure=call.__closure__)
        wrapped.__kwdefaults__ = {"y": None, "target": None}
        functools.update_wrapper(wrapped, function)
        wrapped.__signature__ = _with_target(signature)  # type: ignore[attr-defined]
        third = THIRD.format(table=table) if needs_target else ""
        described = PARAMETERS.format(table=table, third=third)
        doc = (function.__doc__ or "").replace("\n\n    Returns\n", f"{described}\n    Returns\n", 1)
        wrapped.__doc__ = doc.replace(f"    {table} : Table", f"    {table} : Table, data frame or array", 1)
        return cast("TakesRows[P, R_co]", wrapped)

    return decorate


def _tables(rows: Any, y: Any, target: Any, known: dict[str, Any], *, several: bool) -> Any:  # noqa: ANN401
    """Return rows as a table; a mapping or list of rows as a mapping or list of tables."""
    if not several or _is_rows(rows):
        return as_table(rows, y, target, **known)
    named = rows if isinstance(rows, Mapping) else dict(enumerate(rows))
    if any(hasattr(each, "fit") for each in named.values()):
        raise TypeError("estimators were given as the second argument; expected estimators first, then the data")
    if not all(map(_is_rows, named.values())):  # columns, or rows as lists
        return as_table(rows, y, target, **known)
    found = {name: as_table(each, y, target, **known) for name, each in named.items()}
    return found if isinstance(rows, Mapping) else list(found.values())


def _is_rows(given: Any) -> bool:  # noqa: ANN401 - anything
    return isinstance(given, Table | str) or is_frame(given) or hasattr(given, "__array__")


def _lacks_target(found: Any) -> bool:  # noqa: ANN401 - a table, or several
    return isinstance(found, Table) and found.schema.target is None


def _like_the_first(rows: Any, found: Any, known: dict[str, Any]) -> Table:  # noqa: ANN401 - rows of any sort
    """Return further rows as a table, with the target of the first ones if they have it."""
    name = found.schema.target_column.name if isinstance(found, Table) and found.schema.target is not None else None
    has = name is not None and name in getattr(rows, "column_names", getattr(rows, "columns", ()))
    like = known.get("like") if schema_of(known.get("like")) is not None else found
    return as_table(rows, target=name if has else None, **{**known, "like": like})


def _is_target(rows_and_next: list[Any]) -> bool:
    """Whether the argument after the rows is a target: values or a column's name, not a number or a mapping."""
    if len(rows_and_next) < 2:  # noqa: PLR2004 - the rows and what follows
        return False
    rows, following = rows_and_next
    if isinstance(rows, Table) or callable(rows):  # which have targets of their own
        return False
    return hasattr(following, "__len__") and not isinstance(following, Mapping)


def _without_target(function: str, like: str | None, found: Table) -> str:
    first = "" if like is None else f"{like}, "
    return (
        f"the rows have no target; name its column, as in {function}({first}data, "
        f"target={found.schema.names[-1]!r}), or give its values, as in {function}({first}X, y)"
    )


def _with_target(signature: inspect.Signature) -> inspect.Signature:
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in ("y", "target")]
    return signature.replace(parameters=[*signature.parameters.values(), *added])
