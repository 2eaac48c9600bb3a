"""The evidence is whole, all of it is compared, and every known difference is documented."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from oracle import evidence, summary
from oracle.__main__ import CHAPTERS
from oracle.chapter import Finding
from oracle.exceptions import EXPLAINED
from oracle.pack import pack
from oracle.schemes import PROGRAMS
from oracle.trees.quality import has_classes

COMPAT = Path(__file__).resolve().parents[2] / "docs" / "compat.md"
ALL = [scheme for schemes in PROGRAMS.values() for scheme in schemes]
CLASSES_ONLY = {"KStar", "LWL"}  # their answers for sets with a number to predict are stored, and not compared
# Sets per scheme: evidence that is lost must not go unnoticed.
COUNTS = {
    **dict.fromkeys(("J48", "J48-U", "J48-R", "J48-B", "J48-S", "J48-M5-C0.1", "PART", "JRip"), 35),
    **dict.fromkeys(("OneR", "Ridor", "IB1"), 35),
    **dict.fromkeys(("PART-U", "PART-B", "JRip-P", "JRip-O0", "NNge", "RandomForest-100", "Cobweb"), 29),
    **dict.fromkeys(("w39-J48", "w39-J48-noMDL", "w39-J48-U-O-noMDL", "w39-PART", "w39-PART-noMDL"), 33),
    **dict.fromkeys(("M5P", "M5P-N", "M5P-R", "M5Rules"), 17),
    **dict.fromkeys(("SMO", "SMO-RBF", "SimpleCart"), 30),
    **dict.fromkeys(("KStar", "LWL", "Bagging-REPTree"), 44),
    **dict.fromkeys(("EM-2", "EM-3", "w39-EM-3", "SimpleKMeans-2", "SimpleKMeans-3"), 41),
    **dict.fromkeys(("hclust-single", "hclust-complete", "hclust-average", "hclust-ward.D2"), 12),
    **dict.fromkeys(("Id3", "Prism"), 8),
    **dict.fromkeys(("REPTree", "DecisionStump"), 52),
    **dict.fromkeys(("rpart", "rpart-full"), 48),
    **dict.fromkeys(("w39-JRip", "rpart-information"), 32),
    "LinearRegression": 15,
    "IBk-5": 51,
}


def test_no_answer_is_lost() -> None:
    assert sorted(ALL) == sorted(evidence.schemes()) == sorted(COUNTS)
    assert {scheme: len(evidence.answered(scheme)) for scheme in ALL} == COUNTS
    assert len(evidence.sets()) == 52
    assert set(evidence.SMALL) <= set(evidence.sets())


@pytest.mark.parametrize("scheme", ALL)
def test_an_answer_belongs_to_its_set(scheme: str) -> None:
    for data in evidence.answered(scheme):
        stored = evidence.answers(scheme, data)
        assert (stored["data"], stored["scheme"]) == (data, scheme)
        rows = len(evidence.folds(data)["fold_of_row"])
        assert len(stored.get("assign") or "x" * rows) == rows
        if isinstance(stored.get("cv", {}).get("pred"), str):
            assert len(stored["cv"]["pred"]) == rows
        assert stored["status"] in {"ok", "timeout", "timeout in cross-validation"}
        assert "model" in stored or "merge" in stored or stored["status"] == "timeout" or "assign" in stored


def test_every_answer_is_compared_once() -> None:
    compared = Counter(pair for chapter in CHAPTERS for pair in chapter.pairs())
    assert set(compared.values()) == {1}
    stored = {(scheme, data) for scheme in ALL for data in evidence.answered(scheme)}
    left_out = stored - set(compared)
    assert set(compared) <= stored
    for scheme, data in left_out:
        assert not evidence.cross_validated(scheme, data) or (scheme in CLASSES_ONLY and not has_classes(data))


def test_a_set_is_unpacked_and_put_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "UNPACKED", tmp_path / "new")
    path = evidence.arff.__wrapped__("iris")
    content = path.read_bytes()
    assert content == gzip.decompress((evidence.EVIDENCE / "data" / "iris.arff.gz").read_bytes())
    path.write_text("half a file")
    assert evidence.arff.__wrapped__("iris").read_bytes() == content
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["iris.arff"]


def test_packing_gives_the_same_bytes_again(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    for folder in ("data", "folds", "J48"):
        (raw / folder).mkdir(parents=True)
    (raw / "data" / "tiny.arff").write_text("@relation tiny\n@attribute x numeric\n@data\n1\n")
    (raw / "folds" / "tiny.json").write_text('{"fold_of_row": "0"}')
    (raw / "J48" / "tiny.json").write_text('{"scheme": "J48", "wall_s": 0.01, "model": "\\u00fc", "cv": {"rmse": 0.5}}')
    for name in ("one", "two"):
        pack(raw / "data", raw, tmp_path / name, ["J48"])
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.gz")]
    assert len(files) == 3
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    line = json.loads(gzip.decompress((tmp_path / "one" / "answers" / "J48.jsonl.gz").read_bytes()))
    assert line == {"data": "tiny", "scheme": "J48", "model": "ü", "cv": {"rmse": 0.5}}


def test_known_differences_are_documented() -> None:
    page = COMPAT.read_text(encoding="utf-8")
    section = page.partition("## Results on the stored data sets")[2]
    for each in EXPLAINED:
        assert set(each.sets) <= set(evidence.answered(each.scheme))
        line = next(line for line in section.splitlines() if f"| {each.scheme} |" in line)
        assert all(data in line for data in each.sets), each.scheme


def test_an_unexplained_difference_is_wrong_and_so_is_a_needless_explanation() -> None:
    known = EXPLAINED[0]
    good = [Finding(known.scheme, known.sets[0], "1 row"), Finding("J48", "iris", ""), Finding("REPTree", "iris", None)]
    assert summary.wrong(good) == []
    assert len(summary.wrong([*good, Finding("J48", "vote", "2 lines differ")])) == 1
    assert len(summary.wrong([Finding(known.scheme, known.sets[0], "")])) == 1
    table = summary.rows(good)
    assert [(row.scheme, row.sets, row.identical, row.different) for row in table] == [
        ("J48", 1, 1, 0),
        (known.scheme, 1, 0, 1),
        ("REPTree", 1, None, None),
    ]
    assert summary.total(table) == "1 of 2 comparisons are identical; 1 differ."
    assert any(known.why in line for line in summary.explanations(table))
    assert "* JRip on letter: there is no answer." in summary.notes(summary.rows([Finding("JRip", "iris", "")]))
    assert summary.plain(table)[1].split() == ["WEKA", "3.6.14", "J48", "1", "1", "0", "identical"]
