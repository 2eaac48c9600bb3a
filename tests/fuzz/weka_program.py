"""WEKA in a Java process of its own, asked question after question."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hornbeam.data.write import arff_text

if TYPE_CHECKING:
    from fuzz.random_tables import Drawn

SERVER = Path(__file__).resolve().parent / "WekaServer.java"
JAR = Path("/usr/share/java/weka.jar")


class MissingProgramError(Exception):
    """Java or WEKA is not installed."""


@dataclass(frozen=True)
class WekaAnswer:
    """What WEKA printed and predicted, or the error with which it refused."""

    text: str
    rows: tuple[tuple[float, ...], ...]  # a class distribution, or one number, for each asked row
    error: str


class Weka:
    """The running program; use it in a `with` statement."""

    def __init__(self, jar: Path | None = None) -> None:
        named = os.environ.get("WEKA_JAR")
        self.jar = jar or (Path(named) if named else JAR)
        java = shutil.which("java")
        if java is None or shutil.which("javac") is None:
            msg = "Java's compiler and runtime are missing (Debian: apt install default-jdk-headless)"
            raise MissingProgramError(msg)
        if not self.jar.is_file():
            msg = f"{self.jar} is missing (Debian: apt install weka); WEKA_JAR=FILE names the jar of another WEKA"
            raise MissingProgramError(msg)
        self._process = subprocess.Popen(
            [java, "-Xss64m", "-Xmx1g", "-Djava.awt.headless=true", "-cp", str(self.jar), str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.version = self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def ask(self, name: str, options: str, pair: Drawn) -> WekaAnswer:
        """Let a scheme of WEKA learn from the training rows and predict the others."""
        assert self._process.stdin is not None
        for text in (name, options, arff_text(pair.training), arff_text(pair.asked)):
            data = text.encode()
            self._process.stdin.write(struct.pack(">i", len(data)) + data)
        self._process.stdin.flush()
        printed, lines, error = self._read(), self._read(), self._read()
        rows = tuple(tuple(map(float, line.split())) for line in lines.splitlines())
        return WekaAnswer(printed, rows, error)

    def _read(self) -> str:
        assert self._process.stdout is not None
        head = self._process.stdout.read(4)
        if len(head) < 4:
            msg = f"WEKA ended without an answer; try: java -cp {self.jar} {SERVER}"
            raise MissingProgramError(msg)
        return self._process.stdout.read(struct.unpack(">i", head)[0]).decode()
