"""Words that the project does not use, and the prose that people read: docstrings, comments, messages, pages."""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A pattern, and what to say instead. `docs/glossary.md` has the few words of our own.
INSTEAD = {
    r"(?<![`.\w])(?:tell|tells|told|telling)\b(?![`\w]| :)": "say, show, report, print, describe, distinguish",
    r"(?<![`.\w\"'])answer(?:s|ed|ing)?\b(?![`\w\"'(\[]| :| =)": "prediction, predict",
    r"\b(?:speaks? for|nobody says)\b": "plain words",
    r"\bNone where\b|(?:\ban error|(?<!Type)Error) where\b": "None if, an error if",
    r"\b(?:goes|going) on from\b|\bin the way of\b": "continues, as in",
    r"\bclass shares?\b|\bshares of (?:the )?classes\b": "class probabilities",
    r"(?<![`.\w= ])chances\b(?!\()": "probabilities, p-values",
    r"\bvouch\w*|\bmendings?\b|\bputs? (?:it |them )?right\b|\bwhat complexity pays\b|\bone a core\b": "plain words",
    r"(?<!here )(?<!hich )\b(?:is|are|was|were) no (?!longer|more|less|later|earlier|worse|better|\w+er\b)": "is not a",
    r"\b(?:one|a|an) \w+ a (?:row|column|node|leaf|core|class|tree|fold|feature|rule|cluster|thread)\b": "per",
    r"\b[Oo]ne a (?:row|column|node|leaf|class|tree|fold|feature|rule|term|bin|pair|sorted)\b": "one per",
    r"\b\d+ \w+s more\b(?! than)": "N more rows",
    r"\bso (?:many|much)\b": "this many, N",
    r"\bexpected \{?[\w.]+\}? at (?:most|least)\b|\bdecimals at most\b": "expected at most N, at most two decimals",
    r"\b[Ww]hat [\w' ]+ (?:is|are) (?:divided|multiplied) by\b": "the divisor, the factor",
    r"\bCompared were\b|\bof no use\b|\bmay be chance\b|\bstill rising\b|\bno \w+ follows\b": "plain words",
    r"\b(?:rows|takes \w+) in pieces\b|\b[Ww]hat \w+ (?:must|should) save\b": "divided among branches; a minimum",
    r"\b(?:asked about|wishes|hitherto|whence|whoever|comes again|come again)\b": "plain words",
    r"(?i)colour|neighbour|(?<!=)centre\b|centred\b|behaviour|favour|\bgrey\b": "American spelling",
    r"(?i)\blicence|labelled\b|normalis|standardis|recognis": "American spelling",
}
PROSE = tokenize.COMMENT, tokenize.STRING


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are prose, with their numbers: of Python comments and strings, of other files all."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), start=1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in PROSE and (" " in token.string):
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def found(path: Path) -> list[str]:
    """Each use of such a word in a file, with what to say instead."""
    return [
        f"{path.name}:{number}: {match[0]!r}; say {instead}"
        for number, line in prose(path)
        for pattern, instead in INSTEAD.items()
        if (match := re.search(pattern, line))
    ]
