"""The programs and commands on the pages about exports and serving do what the pages say."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hornbeam
from hornbeam.export.judges import JUDGES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def block(page: str, language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def tree() -> hornbeam.C45Classifier:
    return hornbeam.C45Classifier().fit(hornbeam.read("weather.numeric"))


def ran(*command: str, **options: str) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True, **options).stdout  # type: ignore[call-overload]


def test_every_page_has_commands_that_are_run() -> None:
    for page in sorted((DOCS / "export").glob("*.md")):
        commands = re.findall(r"^\$ hornbeam (\w+)", page.read_text("utf-8"), re.MULTILINE)
        assert "export" in commands, page.name


@pytest.mark.skipif(shutil.which("gcc") is None, reason="neither gcc nor clang is on the path")
def test_the_c_program(tmp_path: Path) -> None:
    page, program = (DOCS / "export" / "c.md").read_text("utf-8"), block("export/c.md", "c")
    command = re.search(r"`(gcc .*?)`", page)
    assert command is not None
    assert "-o play.h --name play\n" in page
    (tmp_path / "play.h").write_text(hornbeam.export.c(tree(), name="play"))
    (tmp_path / "main.c").write_text(program)
    strict = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror")
    ran(*shlex.split(command[1]), *strict, cwd=str(tmp_path))
    expected = re.search(r"/\* (.*?) \*/", program)
    assert expected is not None
    assert ran(str(tmp_path / "main")).strip() == expected[1]


def test_the_python_file_reads_csv(tmp_path: Path) -> None:
    assert "`python play.py rows.csv`" in (DOCS / "export" / "python.md").read_text("utf-8")
    (tmp_path / "play.py").write_text(hornbeam.export.python(tree()))
    hornbeam.read("weather.numeric").write(tmp_path / "rows.csv")
    lines = ran(sys.executable, "-I", "-S", "play.py", "rows.csv", cwd=str(tmp_path)).splitlines()
    found = [line.split(",")[lines[0].split(",").index("prediction")] for line in lines[1:]]
    assert found == tree().predict(hornbeam.read("weather.numeric")).tolist()


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_program_for_node(tmp_path: Path) -> None:
    program = block("export/javascript.md", "js")
    (tmp_path / "play.js").write_text(hornbeam.export.javascript(tree(), name="play"))
    (tmp_path / "main.js").write_text(program)
    assert ran("node", "main.js", cwd=str(tmp_path)).split() == re.findall(r"// (\w+)", program)


def test_the_programs_for_pmml(tmp_path: Path) -> None:
    for judge in JUDGES:
        if judge.format == "pmml" and judge.missing():
            pytest.skip(f"{judge.missing()} is missing: exported PMML is not run")
    program = block("export/pmml.md", "py")
    (tmp_path / "play.pmml").write_text(hornbeam.export.pmml(tree()), "utf-8")
    assert ran(sys.executable, "-c", program, cwd=str(tmp_path)).split() == re.findall(r"\)  # (\w+)", program)


HOSTILE = ('a"b', "x\\", "</svg>", "{|}", "\\N", "a\nb", 'end"];evil [label="', "ü 漢字", "-->", "")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz (dot) is not on the path")
def test_graphviz_draws_any_name(tmp_path: Path) -> None:
    from hornbeam.data.schema import Nominal, Schema
    from hornbeam.data.table import Table

    codes = [i % len(HOSTILE) for i in range(60)]
    table = Table(
        Schema((Nominal(HOSTILE[0], HOSTILE), Nominal("y", HOSTILE[:3])), name="rows"), [codes, [c % 3 for c in codes]]
    )
    text = hornbeam.export.dot(hornbeam.C45Classifier().fit(table.with_target("y")))
    (tmp_path / "tree.dot").write_text(text)
    ran("dot", "-Tsvg", "tree.dot", "-o", "tree.svg", cwd=str(tmp_path))
    nodes = re.findall(r'<g id="node\d+"', (tmp_path / "tree.svg").read_text())
    assert len(nodes) == len(HOSTILE) + 1  # no name became a node of its own


def test_the_request_of_the_page_about_serving() -> None:
    pytest.importorskip("starlette")
    pytest.importorskip("httpx")
    from starlette.testclient import TestClient

    from hornbeam.web.app import application

    page = (DOCS / "serve.md").read_text("utf-8")
    command = re.search(r"^curl (.*?)\n(\{.*?)\n```", page, re.MULTILINE | re.DOTALL)
    assert command is not None
    words = shlex.split(command[1].replace("\\\n", " "))
    name, _, value = words[words.index("-H") + 1].partition(": ")
    client = TestClient(application(tree().model_), base_url="http://127.0.0.1:8000")
    answer = client.post(words[-1], content=words[words.index("-d") + 1], headers={name: value})
    assert answer.json() == json.loads(command[2])
