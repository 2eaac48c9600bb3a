"""The split store: every test of a model, primary, surrogate or runner-up, as one struct of arrays.

A split sends a row to one of `n_branches` branches by one column, or by a sum of columns:

* * CUTS: by a number's position among ascending cuts (branch i lies between cut i-1 and cut i); an equal value
  takes the lower branch if `equal_low`, otherwise the upper one. A cut may be infinite: then branch 0 is "known" and
  branch 1 can only be reached by missing values. A surrogate may number its branches from above (`flipped`). Ordered
  nominal columns are cut between codes.
* CODES: by a category, through a dense table from code to branch (-1: as missing).
* CODE_SETS: by a category, through a sorted list of codes with the branch of each; all other codes take the
  branch `other` (-1: as missing).
* SUMS: by a sum of numeric columns, each times its coefficient, against one cut, as above; its `column` is that of the
  first term. A row in which any of the terms is missing counts as missing. What happens to a missing value is decided
  by the node's `missing` policy.

A missing value takes no branch; what then happens is the node's `missing` policy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hornbeam.core.base import enums, tolerance
from hornbeam.data.indices import offsets
from hornbeam.model.base.stored import Stored, declared

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints8, Ints32, Ints64

CUTS, CODES, CODE_SETS, SUMS = enums.BY_CUTS, enums.BY_CODES, enums.BY_CODE_SETS, enums.BY_SUMS
FRACTIONAL, STOP = enums.FRACTIONAL, enums.STOP  # what may happen to a missing value, other than taking a branch
LEAST_SHARE = tolerance.LEAST_SHARE  # a branch with at most this fraction of a row gets no piece of it


@dataclass(frozen=True, eq=False)
class SplitStore(Stored):
    """Splits as parallel arrays; offsets have one more entry than there are splits."""

    NOUN: ClassVar = "splits"
    CONTIGUOUS: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i4[splits] column
        |i1[splits] kind
        <i4[splits] n_branches
        <f8[splits] score
        |b1[splits] equal_low
        <i8[splits+1] cut_start
        <f8[*] cuts
        <i8[splits+1] code_start
        <i4[*] codes code_branch
        <i4[splits] other
        <f8[splits] agreement?
        |b1[splits] flipped?
        <i8[splits+1] term_start?
        <i4[terms] term_column?
        <f8[terms] term_coefficient?
    """)

    column: Ints32
    kind: Ints8
    n_branches: Ints32
    score: Floats  # the criterion's value; NaN if there is none
    equal_low: Bools  # CUTS, SUMS: whether a value equal to a cut takes the lower branch
    cut_start: Ints64
    cuts: Floats
    code_start: Ints64
    codes: Ints32  # CODES: branch of code 0, 1, ...; CODE_SETS: sorted codes
    code_branch: Ints32  # parallel to `codes`; used by CODE_SETS only
    other: Ints32  # CODE_SETS: branch of every code not listed, or -1
    agreement: Floats | None = field(default=None)  # surrogates: how often they agree with the primary split
    flipped: Bools | None = field(default=None)  # CUTS: whether branches are numbered from the highest interval down
    term_start: Ints64 | None = field(default=None)  # SUMS: offsets into the next two arrays; all three or none
    term_column: Ints32 | None = field(default=None)  # rising within a split
    term_coefficient: Floats | None = field(default=None)

    def __len__(self) -> int:
        return len(self.column)

    @property
    def sides(self) -> Ints8:
        """For the kernels: 1 where a value equal to a cut takes the lower branch, plus 2 where branches are flipped."""
        low = self.equal_low.astype(np.int8)
        return low if self.flipped is None else low + 2 * self.flipped.astype(np.int8)

    def interval(self, split: int, branch: int) -> int:
        """The interval between cuts, counted from below, of a branch; a flipped split counts from above."""
        if self.flipped is not None and self.flipped[split]:
            return int(self.n_branches[split]) - 1 - branch
        return branch

    def columns_of(self, split: int) -> Ints32:
        """Return the columns that a split uses: one, or those of its terms."""
        terms = self.terms_of(split)
        return self.column[split : split + 1] if terms is None else terms[0]

    def terms_of(self, split: int) -> tuple[Ints32, Floats] | None:
        """Return the columns and the coefficients of a sum; None for a split by one column."""
        if self.kind[split] != SUMS or self.term_start is None:
            return None
        assert self.term_column is not None
        assert self.term_coefficient is not None
        part = slice(int(self.term_start[split]), int(self.term_start[split + 1]))
        return self.term_column[part], self.term_coefficient[part]

    def take(self, chosen: AnyArray) -> SplitStore:
        """Return some of the splits, in the order given."""
        from hornbeam.core.rows.gather import take  # noqa: PLC0415 - not needed to predict

        chosen = np.ascontiguousarray(chosen, np.int64)
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(self):
            msg = f"splits {chosen.min()} to {chosen.max()} were requested; expected numbers from 0 to {len(self) - 1}"
            raise IndexError(msg)
        cut_start, cuts_taken = take_ranges(self.cut_start, chosen)
        code_start, codes_taken = take_ranges(self.code_start, chosen)
        terms: dict[str, AnyArray] = {}
        if self.term_start is not None:
            assert self.term_column is not None
            assert self.term_coefficient is not None
            terms["term_start"], taken = take_ranges(self.term_start, chosen)
            terms |= {"term_column": self.term_column[taken], "term_coefficient": self.term_coefficient[taken]}
        return SplitStore(
            column=take(self.column, chosen),
            kind=take(self.kind, chosen),
            n_branches=take(self.n_branches, chosen),
            score=take(self.score, chosen),
            equal_low=take(self.equal_low, chosen),
            cut_start=cut_start,
            cuts=take(self.cuts, cuts_taken),
            code_start=code_start,
            codes=self.codes.take(codes_taken),
            code_branch=self.code_branch.take(codes_taken),
            other=take(self.other, chosen),
            agreement=None if self.agreement is None else self.agreement.take(chosen),
            flipped=None if self.flipped is None else self.flipped.take(chosen),
            **terms,
        )

    def join(self, other: SplitStore) -> SplitStore:
        """Return these splits and, after them, the other ones."""
        mine, theirs = self.arrays(), other.arrays()
        for name, absent in (("agreement", np.nan), ("flipped", False)):
            if name in mine or name in theirs:
                mine.setdefault(name, np.full(len(self), absent))
                theirs.setdefault(name, np.full(len(other), absent))
        if "term_start" in mine or "term_start" in theirs:
            for given in (mine, theirs):
                given.setdefault("term_start", np.zeros(len(given["column"]) + 1, np.int64))
                given.setdefault("term_column", np.empty(0, np.int32))
                given.setdefault("term_coefficient", np.empty(0))
        joined = {name: np.concatenate([mine[name], theirs[name]]) for name in mine}
        for name in ("cut_start", "code_start", *(("term_start",) if "term_start" in mine else ())):
            joined[name] = np.concatenate([mine[name], theirs[name][1:] + mine[name][-1]])
        return SplitStore(**joined)


def take_ranges(start: Ints64, chosen: AnyArray) -> tuple[Ints64, Ints64]:
    """Offsets of the chosen ranges when concatenated, and the indices of their entries."""
    if start[-1] == 0:
        return np.zeros(len(chosen) + 1, np.int64), np.empty(0, np.int64)
    from hornbeam.core.rows.gather import take  # noqa: PLC0415 - as above

    first = take(start, chosen)
    lengths = take(start[1:], chosen) - first
    if start[-1] == len(start) - 1 and (lengths == 1).all():  # a tree of single cuts
        return np.arange(len(chosen) + 1), first
    new_start = offsets(lengths)
    entries = np.arange(new_start[-1]) + np.repeat(first - new_start[:-1], lengths)
    return new_start, entries
