"""Estimators as dataclasses: each parameter is written once, as a field, and described once, where it is first needed.

scikit-learn requires an `__init__` with every parameter by name that only stores them. `estimator` makes it from the
fields of the class. It also completes the docstring: a parameter or attribute that the class does not describe itself
is described as in its nearest base class, and the default of every parameter is added. So `help` shows everything.
"""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, TypeVar, dataclass_transform, overload

from sklearn.base import BaseEstimator

import hornbeam

if TYPE_CHECKING:
    from collections.abc import Callable

C = TypeVar("C", bound=type[Any])
Entries = dict[str, list[str]]

TITLE = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
DEFAULT = re.compile(r", default=.*$")
PARAMETERS, ATTRIBUTES = "Parameters", "Attributes"


@overload
def estimator(cls: C, /) -> C: ...


@overload
def estimator(*, kw_only: bool = True) -> Callable[[C], C]: ...


@dataclass_transform(eq_default=False, kw_only_default=True)
def estimator(cls: Any = None, /, *, kw_only: bool = True) -> Any:
    """Make an estimator of a class whose fields are its parameters.

    Parameters
    ----------
    cls : type
        Each field is a parameter, with its type and default. It also has the parameters of base classes that were made
        by `estimator`; other annotations of base classes are not fields, and those of fitted attributes (``model_``)
        neither.
    kw_only : bool, default=True
        Whether parameters can only be given by name. Of these, the signature and the docstring list those of the class
        itself before those of its base classes. An estimator with one parameter that nearly everyone sets, such as
        ``n_estimators``, takes that one by position too: it is the first field, with ``_: KW_ONLY`` after it.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> @estimator
    ... class Learner(BaseEstimator):
    ...     depth: int = 3
    >>> Learner(depth=2)
    Learner(depth=2)
    """

    def declare(declared: type[Any]) -> Any:
        for fitted in [name for name in declared.__annotations__ if re.fullmatch(r"\w+_", name)]:
            del declared.__annotations__[fitted]
        made: Any = dataclass(declared, eq=False, repr=False, match_args=False, kw_only=kw_only)
        signature = inspect.signature(made.__init__)
        ordered = [signature.parameters[name] for name in ("self", *_parameters(made))]
        made.__init__ = _taking_aliases(made.__init__, frozenset(signature.parameters))
        made.__init__.__signature__ = signature.replace(parameters=ordered)
        if made.__doc__ is not None:  # not with python -OO
            made._own_doc, made.__doc__ = made.__doc__, _complete(made)
        return made

    return declare if cls is None else declare(cls)


class NamedParameters(BaseEstimator):
    """An estimator whose parameters may have other names, in `set_params` as in the constructor."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters, by their own names or by aliases such as ``max_iter`` of boosting.

        Parameters
        ----------
        **params
            Parameters and their values; ``estimator__NAME`` for those of an estimator inside this one.

        Returns
        -------
        self
        """
        from hornbeam.learn.base.aliases import own_names  # noqa: PLC0415 - rarely needed

        super().set_params(**own_names(type(self), params))
        return self


def _taking_aliases(init: Callable[..., None], known: frozenset[str]) -> Callable[..., None]:
    """The constructor, which also takes other names of parameters than those known."""

    @functools.wraps(init)
    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - it is the constructor
        if not known.issuperset(named):
            from hornbeam.learn.base.aliases import own_names  # noqa: PLC0415 - rarely needed

            named = own_names(type(self), named)
        init(self, *values, **named)

    return __init__


def _complete(cls: type[Any]) -> str:
    """The docstring of a class with all of its parameters and attributes."""
    parameters: Entries = {}
    attributes: Entries = {}
    for base in cls.__mro__:
        sections = _sections(base.__dict__.get("_own_doc", base.__dict__.get("__doc__")) or "")
        for known, title in ((parameters, PARAMETERS), (attributes, ATTRIBUTES)):
            for name, lines in _entries(sections.get(title, "")).items():
                known.setdefault(name, lines)
    sections = _sections(cls.__doc__ or "")
    described = {
        "": sections.pop(""),
        PARAMETERS: "\n".join(_with_default(parameters.get(k, [k]), v) for k, v in _parameters(cls).items()),
        ATTRIBUTES: "\n".join("\n".join(lines) for lines in attributes.values()),
    }
    whole = described | {title: text for title, text in sections.items() if title not in described}
    return "\n\n".join(
        f"{title}\n{'-' * len(title)}\n{text}" if title else text for title, text in whole.items() if text
    )


def _parameters(cls: type[Any]) -> dict[str, Any]:
    """The parameters of a class and their defaults; of those given by name only, its own before those of its bases."""
    by_place = {field.name: field.default for field in fields(cls) if not field.kw_only}
    by_name = {field.name: field.default for field in fields(cls) if field.kw_only}
    nearest_first = [name for base in cls.__mro__ for name in inspect.get_annotations(base) if name in by_name]
    return by_place | {name: by_name[name] for name in nearest_first}


def _sections(text: str) -> dict[str, str]:
    """The parts of a docstring by their titles; the text before the first has the title ""."""
    intro, *parts = TITLE.split(inspect.cleandoc(text))
    return {"": intro.strip()} | {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def _entries(text: str) -> Entries:
    """The lines of each parameter or attribute of a section."""
    entries: Entries = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            lines = entries[line.partition(" :")[0]] = []
        lines.append(line)
    return entries


def _with_default(lines: list[str], default: Any) -> str:
    head = DEFAULT.sub("", lines[0])
    return "\n".join([head if head.endswith("optional") else f"{head}, default={_quoted(default)}", *lines[1:]])


def _quoted(default: Any) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


class ShownByModel:
    """A mixin that goes before scikit-learn's `BaseEstimator`, for estimators with `model_` once fitted."""

    def _repr_html_inner(self) -> str:
        shown: str = hornbeam._html(self) if hasattr(self, "model_") else super()._repr_html_inner()  # type: ignore[misc]
        return shown

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle and hasattr(self, "model_"):
            bundle["text/html"] = hornbeam._html(self)
        return bundle
