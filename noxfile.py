#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The commands of the Makefile for those who use nox; the Makefile makes the environments."""

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "none"


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test with small budgets."""
    session.run("make", "test", external=True)


@nox.session
def check(session: nox.Session) -> None:
    """Run linters, type checks, import contracts and sanitizers."""
    session.run("make", "check", external=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Run every example in the documentation."""
    session.run("make", "docs", external=True)


if __name__ == "__main__":
    nox.main()
