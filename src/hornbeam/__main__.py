"""``python -m hornbeam``: the command line, if its script is not on the path."""

from __future__ import annotations

import sys

from hornbeam.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
