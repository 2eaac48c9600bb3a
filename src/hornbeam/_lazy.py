"""Public names that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package.

    The public names are those that the stub (``.pyi``) beside the package's `__init__.py` imports. A name is imported
    when it is first used: an attribute of the module in the stub or, if that is a package, one of its modules.

    Parameters
    ----------
    package, file : str
        The package's `__name__` and `__file__`.
    """
    with open(file.rpartition(".")[0] + ".pyi", encoding="utf-8") as text:  # noqa: PTH123 - pathlib takes long to import
        stub = ast.parse(text.read())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: str(node.module) for node in imports for alias in node.names}

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
        kept = {name for name in vars(sys.modules[package]) if name.startswith("__")}
        return sorted(kept | {name for name in homes if not name.startswith("_")})

    return find, names, sorted(homes)
