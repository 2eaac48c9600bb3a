"""Packages whose public names are imported when they are first used (PEP 562)."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def attach(
    package: str, homes: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package that imports its names on first use.

    A submodule must not have the same name as an object in `homes`: importing it would hide the object.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    homes : dict
        For each public name, the module that defines it.
    modules : dict, optional
        For each public name that is a module itself, its full name.

    Examples
    --------
    >>> __getattr__, __dir__ = attach("hornbeam.data", {"Table": "hornbeam.data.table"})
    >>> __getattr__("Table")
    <class 'hornbeam.data.table.Table'>
    """
    modules = modules or {}

    def __getattr__(name: str) -> Any:  # noqa: ANN401, N807 - any object; the name that Python looks up
        if name in modules:
            value: Any = import_module(modules[name])
        elif name in homes:
            value = getattr(import_module(homes[name]), name)
        else:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807 - the name that Python looks up
        return sorted({*vars(sys.modules[package]), *homes, *modules})

    return __getattr__, __dir__


def names_in_stub(file: str) -> tuple[dict[str, str], dict[str, str]]:
    """Read `homes` and `modules` of a package from the imports in the stub (``.pyi``) beside its ``__init__.py``."""
    homes: dict[str, str] = {}
    modules: dict[str, str] = {}
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    for node in stub.body:
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        folder = Path(file).parent.joinpath(*node.module.split(".")[1:])
        for name in (alias.name for alias in node.names):
            if (folder / name).is_dir() or (folder / f"{name}.py").exists():
                modules[name] = f"{node.module}.{name}"
            else:
                homes[name] = node.module
    return homes, modules
