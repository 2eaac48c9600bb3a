"""Files that appear whole or not at all: permissions, links, long names, pipes; the same for models and tables."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING, Any

import pytest

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.data.replacing import replacing, whole_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def save_model(path: Path) -> None:
    hornbeam.save(hornbeam.C45Classifier().fit(hornbeam.read("weather.nominal")), path)


def write_table(path: Path) -> None:
    with replacing(path) as file:
        file.write(b"a,b\n1,2\n")


WRITERS: dict[str, Callable[[Any], None]] = {"model": save_model, "table": write_table}


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    return WRITERS[request.param]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_replaced_file_keeps_its_mode(writer: Any, tmp_path: Path, mode: int) -> None:
    path = tmp_path / "kept"
    path.write_text("old")
    path.chmod(mode)
    writer(path)
    assert mode_of(path) == mode
    assert path.stat().st_size > 3


def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("old")
    path.chmod(0o600)
    with whole_file(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_of_the_process(writer: Any, tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        writer(tmp_path / "new")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new") == 0o666 & ~mask


def test_a_link_stays_and_what_it_points_to_is_replaced(writer: Any, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    real, link, second = tmp_path / "folder" / "real", tmp_path / "link", tmp_path / "second"
    real.write_text("old")
    link.symlink_to(real)
    second.symlink_to("link")
    writer(second)
    assert second.is_symlink()
    assert link.is_symlink()
    assert real.stat().st_size > 3
    assert not real.is_symlink()
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "folder" / "not yet there")
    writer(dangling)
    assert dangling.is_symlink()
    assert (tmp_path / "folder" / "not yet there").is_file()
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["not yet there", "real"]


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "x" * 242])
def test_names_as_long_as_the_system_allows(writer: Any, tmp_path: Path, name: str) -> None:
    writer(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_pipes_and_folders(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_table(pipe)
    reader.join()
    assert found == [b"a,b\n1,2\n"]
    assert pipe.is_fifo()
    for path in (tmp_path, tmp_path / "absent" / "file", tmp_path / "a\0b", "x" * 300):
        with pytest.raises(DataError, match="cannot be written"):
            write_table(path)  # type: ignore[arg-type]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("old")

    def interrupted() -> None:
        with replacing(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_text() == "old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_written_in_place(writer: Any, tmp_path: Path) -> None:
    path, other_name = tmp_path / "file", tmp_path / "the same file"
    path.write_text("old")
    other_name.hardlink_to(path)
    writer(path)
    assert other_name.read_text() == "old"
    assert path.stat().st_size > 3


def test_the_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        save_model(tmp_path / "absent" / "model")
    assert error.value.filename == str(tmp_path / "absent" / "model")
