# ruff: noqa: INP001 - a script, not part of a package
"""Write the table of what is exact, per format and kind of model, into the page export.md.

It is made from the stored results of ``python -m exactness`` (tests/exactness), and stands between
``<!-- what is exact -->`` and ``<!-- end of what is exact -->``. With ``--check`` nothing is written, and the
exit code is 1 if the table is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "export.md"
BLOCK = re.compile(r"(<!-- what is exact -->\n).*?(<!-- end of what is exact -->)", re.DOTALL)


def rewritten(text: str) -> str:
    """The text of the page with an up-to-date table."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from exactness import results  # noqa: PLC0415 - of the tests

    lines = results.table(results.load())
    return BLOCK.sub(lambda found: found[1] + "\n".join(["", *lines, "", ""]) + found[2], text)


def main(arguments: list[str]) -> int:
    """Update the page, or check whether it is stale."""
    text = PAGE.read_text(encoding="utf-8")
    now = rewritten(text)
    if now == text:
        return 0
    if "--check" in arguments:
        sys.stderr.write("docs/export.md: the table of what is exact is stale; run python docs/exactness.py\n")
        return 1
    PAGE.write_text(now, encoding="utf-8")
    sys.stderr.write("docs/export.md: written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
