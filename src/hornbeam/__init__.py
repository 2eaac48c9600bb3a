"""Readable machine learning for tables.

The public names are listed in ``__init__.pyi`` and imported when they are first used, so that ``import hornbeam`` and
``hornbeam --help`` take no time.

The package is a pipeline of folders, each of which imports only those after it:

cli: the command line.
web: a model as a web server.
report: HTML, Markdown and JSON reports.
scale: learning from data that does not fit in memory.
evaluate: scores, cross-validation, comparisons and tests.
show: models as text, pictures and charts.
export: models for other programs.
learn: the estimators.
gpu: kernels for NVIDIA GPUs, used by `learn`.
schemes: names, parameters and defaults of the estimators, for the command line.
model: fitted models and their files.
data: tables, and reading and writing them.
core: the compiled kernels.
_lazy: names that are imported when they are first used.
_display: how texts, pictures and results are displayed.
_names: names in messages, and which one a mistyped name may mean.

Examples
--------
>>> import hornbeam
>>> table = hornbeam.read("weather")
>>> tree = hornbeam.C45Classifier().fit(table)
>>> print(hornbeam.show.text(tree.model_, style="weka"))  # doctest: +ELLIPSIS
outlook = sunny
|   humidity = high: no (3.0)
...
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hornbeam._lazy import attach

_find, __dir__, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name == "__version__":
        from importlib.metadata import version

        return version("hornbeam")
    return _find(name)


def _html(shown: Any) -> str:  # noqa: ANN401 - any estimator or model of ours
    """Write a fitted estimator or a model as HTML for a notebook, for lower layers, which cannot import `report`."""
    html: str = import_module("hornbeam.report.compact").compact(shown)
    return html


def _on_engine(doing: str, *arguments: Any) -> Any:  # noqa: ANN401 - an estimator and a frame of Spark or Dask
    """Call a function of `hornbeam.scale.frames.doing`, for lower layers, which cannot import `scale`."""
    return getattr(import_module("hornbeam.scale.frames.doing"), doing)(*arguments)
