"""Partition: send a list's entries to the branches of a split, in order.

A child's list is a subsequence of its parent's, so one child takes the parent's memory and the others get their own. A row
whose value is missing goes to every branch. The lowest bit of an entry (its value differs from the one before) is kept true for
each branch: it is set where any entry since the branch's last one had it set.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t


cdef int64_t filter_list(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags) noexcept nogil:
    """Keep the entries whose side has bit 0 of its pair in `flags`; give how many."""
    cdef int64_t i, kept = 0
    cdef Entry entry, fresh = 1, stays, one = 1
    for i in range(n):
        entry = entries[i]
        stays = (flags >> (2 * side[entry >> shift])) & 1
        fresh |= entry & 1
        entries[kept] = (entry & ~one) | fresh
        kept += <int64_t>stays
        fresh &= stays ^ 1
    return kept


cdef int64_t part_in_two(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags, Entry* other,
                         int64_t* n_other) noexcept nogil:
    """Two stores a row, neither behind a branch. `flags` holds two bits a side: stays in `entries`, goes to `other`.

    `other` needs room for one entry more than it receives.
    """
    cdef int64_t i, kept = 0, gone = 0
    cdef Entry entry, fresh_here = 1, fresh_there = 1, stays, goes, one = 1
    cdef int flag
    for i in range(n):
        entry = entries[i]
        flag = flags >> (2 * side[entry >> shift])
        stays = flag & 1
        goes = (flag >> 1) & 1
        fresh_here |= entry & 1
        fresh_there |= entry & 1
        entry &= ~one
        entries[kept] = entry | fresh_here
        other[gone] = entry | fresh_there
        kept += <int64_t>stays
        gone += <int64_t>goes
        fresh_here &= stays ^ 1
        fresh_there &= goes ^ 1
    n_other[0] = gone
    return kept


cdef void part_in_many(const Entry* entries, int64_t n, const int32_t* branch, int shift, int n_branches,
                       const uint8_t* takes_missing, Entry** target, int64_t* filled, int64_t* last_run) noexcept nogil:
    """Any number of branches; a branch whose target is NULL receives nothing. `filled` and `last_run` are working memory.

    The one branch whose target is `entries` itself is safe: it is never filled beyond what was read.
    """
    cdef int64_t i, run = 0
    cdef int b, to
    cdef Entry entry, one = 1
    for b in range(n_branches):
        filled[b] = 0
        last_run[b] = -1
    for i in range(n):
        entry = entries[i]
        run += entry & 1
        b = branch[entry >> shift]
        entry &= ~one
        if b >= 0:
            if target[b] != NULL:
                target[b][filled[b]] = entry | <Entry>(last_run[b] != run)
                filled[b] += 1
                last_run[b] = run
        else:
            for to in range(n_branches):
                if target[to] != NULL and takes_missing[to]:
                    target[to][filled[to]] = entry | <Entry>(last_run[to] != run)
                    filled[to] += 1
                    last_run[to] = run
