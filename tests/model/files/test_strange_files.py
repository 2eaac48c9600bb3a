"""Model files of every kind with something strange in them: they are refused, or the model can be used in every way."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import members_of, pack, with_strange_arrays, with_strange_plain
from using_models import good_files, learners, use

from hornbeam.model.base.plain import ModelFileError
from hornbeam.model.files.storage import KINDS, from_bytes

NAMES = sorted(learners())


def tried(members: dict[str, bytes], kind: str) -> None:
    try:
        model = from_bytes(pack(members, {"kind": kind}))
    except ModelFileError:
        return
    use(model)


def test_every_kind_is_there_and_can_be_used() -> None:
    kinds = {json.loads(members_of(data)["manifest.json"])["kind"] for data in good_files().values()}
    assert kinds == KINDS.keys()
    for data in good_files().values():
        use(from_bytes(data))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12)
@given(data=st.data())
def test_strange_arrays(name: str, data: st.DataObject) -> None:
    members = members_of(good_files()[name])
    if any(member.endswith(".npy") and len(members[member]) > 128 for member in members):
        tried(with_strange_arrays(members, data), json.loads(members["manifest.json"])["kind"])


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12)
@given(data=st.data())
def test_strange_plain_data(name: str, data: st.DataObject) -> None:
    members = members_of(good_files()[name])
    kind = json.loads(members["manifest.json"])["kind"]
    keys = json.loads(members["model.json"]).keys()
    tried(with_strange_plain(members, kind if kind in keys else "recipe", data), kind)
