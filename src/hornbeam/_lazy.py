"""Public names that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def attach(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Give a package its `__getattr__`, `__dir__` and `__all__`.

    Parameters
    ----------
    package : str
        The package's `__name__`.
    homes : mapping of str to str
        The module that each public name is imported from, as in ``from module import name``: an attribute of that
        module or, where it is a package, one of its modules.
    """

    def find(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
        home = homes.get(name)
        if home is None:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        if home == package:
            return import_module(f"{package}.{name}")
        value = getattr(__import__(home, fromlist=[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return find, names, sorted(homes)


def names_in_stub(file: str) -> dict[str, str]:
    """Read where public names live from the imports in the stub (``.pyi``) beside a Python file."""
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
