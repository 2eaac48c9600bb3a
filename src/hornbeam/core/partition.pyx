"""Partition: send a list's entries to the branches of a split, in order.

A child's list is a subsequence of its parent's, so one child takes the parent's memory and the others get their own.
A row whose value is missing goes to every branch. The two lowest bits of an entry say how its value differs from the
one before; they are kept true for each branch: a bit is set where any entry since the branch's last one had it set.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from hornbeam.core.scan cimport STEPS


cdef int64_t filter_list(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags) noexcept nogil:
    """Keep the entries whose side has bit 0 of its pair in `flags`; give how many."""
    cdef int64_t i, kept = 0
    cdef Entry entry, steps = STEPS, stays, all_steps = STEPS
    for i in range(n):
        entry = entries[i]
        stays = (flags >> (2 * side[entry >> shift])) & 1
        steps |= entry & all_steps
        entries[kept] = (entry & ~all_steps) | steps
        kept += <int64_t>stays
        steps &= stays - 1  # nothing once written, all otherwise
    return kept


cdef int64_t copy_some(const Entry* entries, int64_t n, const uint8_t* stays, int shift, Entry* into) noexcept nogil:
    """Copy the entries of rows that stay; `into` has room for one more. Give how many."""
    cdef int64_t i, kept = 0
    cdef Entry entry, steps = STEPS, all_steps = STEPS, here
    for i in range(n):
        entry = entries[i]
        here = stays[entry >> shift]
        steps |= entry & all_steps
        into[kept] = (entry & ~all_steps) | steps
        kept += <int64_t>here
        steps &= here - 1
    return kept


cdef int64_t part_in_two(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags, Entry* other,
                         int64_t* n_other) noexcept nogil:
    """Two stores a row, neither behind a branch. `flags` holds two bits a side: stays in `entries`, goes to `other`.

    `other` needs room for one entry more than it receives.
    """
    cdef int64_t i, kept = 0, gone = 0
    cdef Entry entry, steps_here = STEPS, steps_there = STEPS, stays, goes, all_steps = STEPS
    cdef int flag
    for i in range(n):
        entry = entries[i]
        flag = flags >> (2 * side[entry >> shift])
        stays = flag & 1
        goes = (flag >> 1) & 1
        steps_here |= entry & all_steps
        steps_there |= entry & all_steps
        entry &= ~all_steps
        entries[kept] = entry | steps_here
        other[gone] = entry | steps_there
        kept += <int64_t>stays
        gone += <int64_t>goes
        steps_here &= stays - 1
        steps_there &= goes - 1
    n_other[0] = gone
    return kept


cdef void part_in_many(const Entry* entries, int64_t n, const int32_t* branch, int shift, int n_branches,
                       const uint8_t* takes_missing, Entry** target, int64_t* filled, int64_t* last_run) noexcept nogil:
    """Any number of branches; a branch whose target is NULL receives nothing.

    `filled` and `last_run` (two numbers a branch) are working memory.

    The one branch whose target is `entries` itself is safe: it is never filled beyond what was read.
    """
    cdef int64_t i
    cdef int64_t* grows = last_run + n_branches  # by branch: 1, or 0 where nothing is kept
    cdef uint64_t* last = <uint64_t*>last_run
    cdef uint64_t run = 0  # how often either bit was set so far: one in each half
    cdef int b, to
    cdef Entry entry, all_steps = STEPS, dropped
    for b in range(n_branches):
        filled[b] = 0
        last[b] = ~<uint64_t>0
        grows[b] = target[b] != NULL
        if target[b] == NULL:
            target[b] = &dropped
    for i in range(n):
        entry = entries[i]
        run += (entry & 1) + (<uint64_t>(entry & 2) << 31)
        b = branch[entry >> shift]
        entry &= ~all_steps
        if b >= 0:
            target[b][filled[b]] = entry | steps_since(last + b, run)
            filled[b] += grows[b]
        else:
            for to in range(n_branches):
                if grows[to] and takes_missing[to]:
                    target[to][filled[to]] = entry | steps_since(last + to, run)
                    filled[to] += 1
    for b in range(n_branches):
        if not grows[b]:
            target[b] = NULL


cdef inline uint32_t steps_since(uint64_t* last, uint64_t run) noexcept nogil:
    """The two bits of an entry whose branch last received one at the run `last`."""
    cdef uint64_t change = last[0] ^ run
    last[0] = run
    return (<uint32_t>change != 0) | (<uint32_t>(change >> 32 != 0) << 1)
