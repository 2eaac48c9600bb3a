"""Example sets that come with the package, by name."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError

if TYPE_CHECKING:
    from hornbeam.data.table import Table

_ALIASES = {"weather": "weather.nominal"}
_SUMMARIES = {
    "auto-mpg": "fuel consumption of 398 cars (regression)",
    "casablanca": "who likes the film, by college major: eight rows for calculating by hand",
    "contact-lenses": "which lenses to prescribe, 24 cases",
    "cpu": "performance of 209 computers (regression)",
    "credit-g": "1000 credit applicants, good or bad",
    "glass": "214 glass fragments of six types",
    "iris": "150 flowers of three species",
    "labor": "57 labor contracts, good or bad, with many missing values",
    "servo": "rise time of a servo mechanism (regression)",
    "vote": "votes of 435 members of congress, by party",
    "weather": "the same as weather.nominal",
    "weather.nominal": "whether to play, 14 days, all columns nominal",
    "weather.numeric": "whether to play, 14 days, temperature and humidity as numbers",
}


def names() -> tuple[str, ...]:
    """Names of the example sets.

    Examples
    --------
    >>> "iris" in names()
    True
    """
    return tuple(_SUMMARIES)


def summary(name: str) -> str:
    """One line about an example set."""
    _check(name)
    return _SUMMARIES[name]


def load(name: str) -> Table:
    """Read an example set; its last column is the target.

    Examples
    --------
    >>> load("weather")
    Table('weather.nominal': 14 rows, 0 numeric and 5 nominal columns)
    """
    from hornbeam.data.files.arff import read_arff  # noqa: PLC0415 (only where needed)

    _check(name)
    name = _ALIASES.get(name, name)
    text = (resources.files("hornbeam.data") / "examples" / f"{name}.arff").read_text("utf-8")
    return read_arff(text, name=name).with_target(-1)


def _check(name: str) -> None:
    if name not in _SUMMARIES:
        msg = f"no example set is called {name!r}; there are {', '.join(_SUMMARIES)}"
        raise DataError(msg)
