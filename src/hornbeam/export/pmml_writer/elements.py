"""XML elements and expressions of PMML."""

from __future__ import annotations

import re
from typing import NamedTuple

# Characters that XML 1.0 does not allow, not even as a character reference.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
ESCAPES = {
    ord(character): f"&#{ord(character)};" if character in "\t\n\r" else name
    for character, name in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("\t", ""),
        ("\n", ""),
        ("\r", ""),
    )
}


def escaped(text: str) -> str:
    """Escape a text for an attribute or a text node.

    Raises
    ------
    ValueError
        If the text has a character that XML does not allow.
    """
    found = FORBIDDEN.search(text)
    if found:
        msg = (
            f"{text!r} has the character U+{ord(found.group()):04X}, which XML does not allow, so it cannot be written "
            "as PMML; rename the column or the category"
        )
        raise ValueError(msg)
    return text.translate(ESCAPES)


def element(name: str, /, *children: str, **attributes: str) -> str:
    """Return an element; its attributes are escaped here; its children are complete elements."""
    written = "".join(f' {key}="{escaped(value)}"' for key, value in attributes.items())
    inner = "".join(children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def number(value: float) -> str:
    """Return a number so that it is read back exactly."""
    return repr(float(value))


# ---- expressions ----


class Expression(NamedTuple):
    """An expression of PMML.

    Attributes
    ----------
    xml : str
        The element.
    late : bool
        Whether it needs an output of a model of the file, and not only input columns.
    field : str
        The name of the field, if it is the value of a field.
    """

    xml: str
    late: bool = False
    field: str = ""


def call(function: str, *arguments: Expression) -> Expression:
    """Return the call of a function."""
    xml = element("Apply", *(each.xml for each in arguments), function=function)
    return Expression(xml, any(each.late for each in arguments))


def constant(value: float) -> Expression:
    """Return a number as an expression."""
    return Expression(element("Constant", number(value), dataType="double"))


def text_constant(value: str) -> Expression:
    """Return a text as an expression."""
    return Expression(element("Constant", escaped(value), dataType="string"))


def reference(name: str, *, late: bool = False) -> Expression:
    """Return the value of a field."""
    return Expression(element("FieldRef", field=name), late, name)


def total(terms: list[Expression]) -> Expression:
    """Return a sum, taken from left to right; none of the terms may be missing."""
    if not terms:
        return constant(0.0)
    return terms[0] if len(terms) == 1 else call("sum", *terms)


def choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """Return one of two values; the condition may not be missing."""
    return call("if", condition, then, otherwise)


def either(conditions: list[Expression]) -> Expression:
    """Return whether one of several conditions holds."""
    return conditions[0] if len(conditions) == 1 else call("or", *conditions)


def both(conditions: list[Expression]) -> Expression:
    """Return whether all of several conditions hold."""
    return conditions[0] if len(conditions) == 1 else call("and", *conditions)
