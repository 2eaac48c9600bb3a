"""Shell completion: example sets and files for DATA, and names of columns for COLUMN."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import click
from click.shell_completion import CompletionItem, split_arg_string

HEAD = 1 << 16  # bytes of a file that are searched for column names
DELIMITERS = ",;\t|"


class DataType(click.types.StringParamType):
    """A file, or the name of an example set."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - click's signature
        """Return the example sets that begin with the text, and let the shell add files."""
        from hornbeam.data.examples import names

        found = [CompletionItem(name) for name in names() if name.startswith(incomplete)]
        return [*found, CompletionItem(incomplete, type="file")]


class ColumnType(click.types.StringParamType):
    """The name of a column of DATA."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - click's signature
        """Return the columns that begin with the text, if a table was given before; click has not parsed it yet."""
        words = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:]
        columns = next((found for word in words if (found := columns_of(word))), [])
        return [CompletionItem(name) for name in columns if name.startswith(incomplete)]


def columns_of(source: str) -> list[str]:
    """Return the names of the columns of an example set, or of a text file by its first line; else none."""
    from hornbeam.data import examples

    try:
        if not Path(source).is_file():
            return list(examples.load(source).schema.names) if source in examples.names() else []
        with Path(source).open("rb") as file:
            head = file.read(HEAD).decode("utf-8-sig")
    except (OSError, ValueError):
        return []  # errors would only disturb a shell that waits for names
    first = next(iter(head.splitlines()), "")
    delimiter = max(DELIMITERS, key=first.count)
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter), []) if name.isprintable()]


TYPES: dict[str, click.ParamType[str]] = {
    "DATA": DataType(), "DATA...": DataType(), "[DATA]": DataType(), "COLUMN": ColumnType(),
}  # by the word that stands for the value in the help  # fmt: skip


def complete_names(parameters: list[click.Parameter]) -> None:
    """Let a shell complete the names of tables and columns."""
    for parameter in parameters:
        if isinstance(parameter.type, click.types.StringParamType) and parameter.metavar in TYPES:
            parameter.type = TYPES[parameter.metavar]
