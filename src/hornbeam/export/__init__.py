"""Models in formats for other programs.

`json` writes a model as nested JSON, to read and inspect. `javascript` writes a script that predicts in a browser.
`FORMATS` lists every format. The command ``hornbeam show --as`` and this package's functions are built from it, so
a new format needs an entry here, a module, a test and a documentation page (docs/decisions/adding-an-export-format.md).

Modules:

- nested_json: the format ``json``: its entry function, and trees.
- json_models: all other models as JSON: rules, linear models, ensembles, forests, clusters.
- json_values: numbers and conditions as JSON.
- script: the format ``javascript``: its entry function.
- script_data: models as the compact data that the script reads.
- runtime.js: the fixed program of every script.
- runtime_rows.js: its second part, for models that keep rows.
- writers: what every format needs: the model of an estimator, the writer for its kind, its decision rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.export.nested_json import json as json
    from hornbeam.export.script import javascript as javascript


@dataclass(frozen=True)
class Format:
    """A format that models are written in.

    Attributes
    ----------
    name : str
        The name of the format and of the function that writes it. The function takes a model and returns a text.
    module : str
        The module of this package that holds the function. It is imported when it is first needed, and must not have
        the name of the format, because a submodule would hide the function.
    summary : str
        One line for the help of the command.
    endings : tuple of str
        File name endings for which the command chooses the format.
    options : tuple of str
        Parameters of the function that the command passes: ``chance`` (a switch), ``calibration`` (from the model
        file), ``costs`` and ``decision_threshold`` (how the saved estimator decides).
    """

    name: str
    module: str
    summary: str
    endings: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def write(self, model: Any, **options: Any) -> str:  # noqa: ANN401 - any model, any option
        """Write a model or the model of a fitted estimator, with parameters of the function that writes it."""
        text: str = getattr(import_module(f"{__name__}.{self.module}"), self.name)(model, **options)
        return text


FORMATS = (
    Format("json", "nested_json", "nested JSON, to read and inspect", (".json",), ("chance", "calibration")),
    Format(
        "javascript",
        "script",
        "a script for browsers that predicts as hornbeam predict does",
        (".js",),
        ("costs", "decision_threshold"),
    ),
)
_MODULES = {format_.name: format_.module for format_ in FORMATS}

__all__ = ["FORMATS", "Format", *_MODULES]  # noqa: PLE0604 - names


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
