"""XML files, parsed without document type declarations, so that no entity is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DEEPEST = 2_000  # elements inside each other


class XmlError(ValueError):
    """A text that is not XML, or that has a document type declaration."""


def parsed(data: bytes) -> Element:
    """Return the root element of a document.

    Raises
    ------
    XmlError
        If it is not XML, or has a document type declaration, which could define entities.
    """
    builder = ET.TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            msg = f"line {parser.CurrentLineNumber}: elements are more than {DEEPEST:,} deep inside each other"
            raise XmlError(msg)
        builder.start(_full(name), {_full(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_full(name))

    def refuse(*_: object) -> NoReturn:
        msg = f"line {parser.CurrentLineNumber}: a document type declaration, which is not read; remove it"
        raise XmlError(msg)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        msg = f"not XML: {error}"
        raise XmlError(msg) from None
    return builder.close()


def _full(name: str) -> str:
    return f"{{{name}" if "}" in name else name
