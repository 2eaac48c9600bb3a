"""The arrays of models in model files: the type of each, and which may be absent."""

from __future__ import annotations

from dataclasses import fields

from hornbeam.model.forests.forest import NOT_ARRAYS as NOT_FOREST_ARRAYS
from hornbeam.model.forests.forest import Forest
from hornbeam.model.trees.split import SplitStore
from hornbeam.model.trees.tree import NOT_ARRAYS, Tree

TREE_TYPES: dict[str, str] = {
    **dict.fromkeys(("parent", "first_child", "n_children", "split", "missing", "label"), "<i4"),
    **dict.fromkeys(("surrogates", "alternatives", "term_column", "term_codes"), "<i4"),
    **dict.fromkeys(("rows", "surrogate_start", "alternative_start", "term_start", "term_code_start"), "<i8"),
    **dict.fromkeys(("weight", "value", "error", "share", "prior"), "<f8"),
    **dict.fromkeys(("intercept", "residual", "term_coefficient", "term_fill"), "<f8"),
}
SPLIT_TYPES: dict[str, str] = {
    **dict.fromkeys(("column", "n_branches", "codes", "code_branch", "other", "term_column"), "<i4"),
    **dict.fromkeys(("cut_start", "code_start", "term_start"), "<i8"),
    **dict.fromkeys(("score", "cuts", "agreement", "term_coefficient"), "<f8"),
    "kind": "|i1",
    "equal_low": "|b1",
    "flipped": "|b1",
}
FOREST_TYPES: dict[str, str] = {
    **dict.fromkeys(("feature", "first_child", "output", "codes"), "<i4"),
    **dict.fromkeys(("roots", "set_start", "target_start"), "<i8"),
    **dict.fromkeys(("weight", "value", "gain", "targets"), "<f4"),
    **dict.fromkeys(("cut", "base", "unit"), "<f8"),
    "missing": "|i1",
}
TRACE_TYPES: dict[str, str] = {
    **dict.fromkeys(("node", "column", "n_cuts", "step_node"), "<i4"),
    **dict.fromkeys(("verdict", "step_action"), "|i1"),
    **dict.fromkeys(("gain", "charge", "split_information", "score", "cut", "average_gain"), "<f8"),
    **dict.fromkeys(("step_leaf", "step_subtree", "step_branch"), "<f8"),
}
OPTIONAL = {
    *("prior", "surrogate_start", "surrogates", "alternative_start", "alternatives"),
    *("agreement", "flipped", "term_start", "term_column", "term_coefficient"),
    *("intercept", "residual", "term_fill", "term_code_start", "term_codes"),
}
OPTIONAL_IN_FORESTS = {"output", "set_start", "codes", "target_start", "targets", "unit"}

_UNTYPED = {f.name for f in fields(Tree)} - NOT_ARRAYS - TREE_TYPES.keys()
_UNTYPED |= {f.name for f in fields(Forest)} - NOT_FOREST_ARRAYS - FOREST_TYPES.keys()
_UNTYPED |= {f.name for f in fields(SplitStore)} - SPLIT_TYPES.keys()
assert not _UNTYPED, f"arrays without a type in model files: {_UNTYPED}"
