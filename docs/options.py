# ruff: noqa: INP001 - a script, not part of a package
"""Write the tables of options in the pages of the learners, from the list of schemes.

The table of the scheme NAME is written between ``<!-- options of NAME -->`` and ``<!-- end of options -->``. Parameters
whose option has another name are listed between ``<!-- other names -->`` and ``<!-- end of other names -->``.
`python docs/options.py` updates all tables. With ``--check`` it writes nothing, and exits with 1 if a table is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.schemes import SCHEMES
from hornbeam.schemes.clusters import CLUSTER_SCHEMES
from hornbeam.show.texts.columns import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.schemes.scheme import Scheme

HERE = Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- options of (\S+) -->\n).*?(<!-- end of options -->)", re.DOTALL)
OTHER_NAMES = re.compile(r"(<!-- other names -->\n).*?(<!-- end of other names -->)", re.DOTALL)
TARGETS = {"category": "classes", "number": "numbers", "cluster": "clusters"}
NAMES = tuple(dict.fromkeys(scheme.name for scheme in (*SCHEMES, *CLUSTER_SCHEMES)))


def pages() -> list[Path]:
    """Every page of the documentation."""
    return sorted(HERE.rglob("*.md"))


def rewritten(text: str) -> str:
    """The text of a page with up-to-date tables."""
    text = BLOCK.sub(lambda found: found[1] + "\n".join(["", *table(found[2]), "", ""]) + found[3], text)
    return OTHER_NAMES.sub(lambda found: found[1] + "\n".join(["", *other_names(), "", ""]) + found[2], text)


def other_names() -> list[str]:
    """The table of the parameters whose option has another name, and of the schemes where it has."""
    found: dict[tuple[str, str], list[str]] = {}
    for scheme in (*SCHEMES, *CLUSTER_SCHEMES):
        for parameter in scheme.parameters:
            if parameter.option not in (None, f"--{parameter.name.replace('_', '-')}"):
                found.setdefault((str(parameter.option), parameter.name), []).append(scheme.name)
    rows = [
        f"| `{option}` | `{name}` | {', '.join(f'`{one}`' for one in dict.fromkeys(schemes))} |"
        for (option, name), schemes in sorted(found.items())
    ]
    return ["| option | parameter in Python | schemes |", "|---|---|---|", *rows]


def table(name: str) -> list[str]:
    """The table of one scheme, with a line above it that names its estimators and its command."""
    schemes = [scheme for scheme in (*SCHEMES, *CLUSTER_SCHEMES) if scheme.name == name]
    if not schemes:
        msg = f"there is no scheme {name!r}; the schemes are {', '.join(NAMES)}"
        raise ValueError(msg)
    command = "cluster" if schemes[0].predicts == "cluster" else "learn"
    classes = " and ".join(f"`{scheme.estimator}`" for scheme in schemes)
    lines = [f"{classes} in Python, `hornbeam {command} DATA --scheme {name}` on the command line.", ""]
    lines += ["| parameter | option | by default | what it does |", "|---|---|---|---|"]
    every = dict.fromkeys(parameter.name for scheme in schemes for parameter in scheme.parameters)
    return [*lines, *(_row(parameter, schemes) for parameter in every)]


def _row(name: str, schemes: Iterable[Scheme]) -> str:
    """The line of one parameter; if only the classifier or only the regressor has it, the line says so."""
    found = {s.predicts: p for s in schemes for p in s.parameters if p.name == name}
    first_target, first = next(iter(found.items()))
    meaning = "; ".join(dict.fromkeys(plain(parameter.summary) for parameter in found.values()))
    choices = {target: ", ".join(map(_value, parameter.choices)) for target, parameter in found.items()}
    if len(set(choices.values())) > 1:
        meaning += "; " + "; ".join(f"{TARGETS[target]}: {values}" for target, values in choices.items())
    elif first.choices:
        meaning += f": {choices[first_target]}"
    if len(found) < len({s.predicts for s in schemes}) and not meaning.startswith("two classes"):
        meaning = f"{TARGETS[first_target]}: {meaning}"
    option = "" if first.option is None else f"`{first.option}`"
    defaults = " or ".join(dict.fromkeys(_value(parameter.default) for parameter in found.values()))
    return f"| `{name}` | {option} | {defaults} | {meaning} |"


def _value(value: Any) -> str:  # noqa: ANN401 - any value of a parameter
    return f"`{value!r}`".replace("'", '"').replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Update every page, or check whether one is stale."""
    check, stale = "--check" in arguments, False
    for page in pages():
        text = page.read_text(encoding="utf-8")
        now = rewritten(text)
        if now == text:
            continue
        stale = True
        if not check:
            page.write_text(now, encoding="utf-8")
        name = page.relative_to(HERE.parent)
        sys.stderr.write(f"{name}: the tables of options are stale\n" if check else f"{name}: written\n")
    return int(check and stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
