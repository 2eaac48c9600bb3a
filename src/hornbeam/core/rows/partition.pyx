"""Partition: send a list's entries to the branches of a split, in order.

A child's list is a subsequence of its parent's, so one child takes the parent's memory and the others get their own.
A row whose value is missing goes to every branch. The two lowest bits of an entry store how its value differs from the
previous one; they are kept correct for each branch: a bit is set if any entry since the branch's last one had it set.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from hornbeam.core.trees.split.scan cimport STEPS

cdef enum:
    FEWEST_LEAPT = 16  # minimum entries of a list for which equal values are handled separately
    FEW_TIES = 32  # at most one entry in this many is a tie


cdef int64_t filter_list(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags) noexcept nogil:
    """Keep the entries whose side has bit 0 of its pair set in `flags`; returns how many."""
    cdef int64_t i, kept = 0
    cdef Entry entry, steps = STEPS, stays, all_steps = STEPS
    for i in range(n):
        entry = entries[i]
        stays = (flags >> (2 * side[entry >> shift])) & 1
        steps |= entry & all_steps
        entries[kept] = (entry & ~all_steps) | steps
        kept += <int64_t>stays
        steps &= stays - 1  # cleared after writing, else unchanged
    return kept


cdef int64_t keep_marked(const Entry* entries, int64_t n, const uint8_t* marks, int shift, bint labeled,
                         Entry* into) noexcept nogil:
    """Copy the entries of rows whose mark has bit 0 set; returns how many.

    If marks are `labeled`, their bit 2 is the row's class, which the entries do not have yet. `into` has room for one
    entry more than is kept, and may be `entries` itself.
    """
    if labeled:
        return keep(entries, n, marks, shift, True, into)
    return keep(entries, n, marks, shift, False, into)


cdef inline int64_t keep(const Entry* entries, int64_t n, const uint8_t* marks, int shift, bint labeled,
                         Entry* into) noexcept nogil:
    cdef int64_t i = 0, kept = 0
    cdef Entry steps = STEPS  # of the entries dropped since the last one that was kept
    while i + 1 < n:  # two at a time, which takes fewer instructions
        kept += keep_one(entries[i], marks, shift, labeled, into + kept, &steps)
        kept += keep_one(entries[i + 1], marks, shift, labeled, into + kept, &steps)
        i += 2
    if i < n:
        kept += keep_one(entries[i], marks, shift, labeled, into + kept, &steps)
    return kept


cdef inline int64_t keep_one(Entry entry, const uint8_t* marks, int shift, bint labeled, Entry* into,
                             Entry* steps) noexcept nogil:
    """Write an entry; returns 1 if it is kept, else the next one overwrites it."""
    cdef Entry mark = marks[entry >> shift], stays = mark & 1
    entry |= steps[0]
    into[0] = entry | (mark & 4) if labeled else entry
    steps[0] = entry & STEPS & (stays - 1)
    return <int64_t>stays


cdef int64_t part_in_two(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags, Entry* other,
                         int64_t* n_other) noexcept nogil:
    """Divide a list with two branchless stores per row. `flags` holds two bits per side: in `entries`, in `other`.

    `other` needs room for one more entry than it receives.
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


cdef int64_t part_by_side(Entry* entries, int64_t n, const uint8_t* side, int shift, int stays_side, Entry* other,
                          int64_t* n_other) noexcept nogil:
    """The same if every row has one of two sides, and neither is dropped.

    Where values differ, both bits are set and nothing needs correction; so equal values, as long as they are few, are
    handled separately.
    """
    cdef int64_t i = 0, kept = 0, ties = 0
    cdef Entry entry, stays = 0, here = STEPS, there = STEPS, all_steps = STEPS, flip = 1 - stays_side
    while n >= FEWEST_LEAPT and i < n:
        entry = entries[i]
        if entry & all_steps != all_steps:
            # the side that took the last entry has seen no step since; the other has seen at least that entry's step
            here = (stays - 1) & all_steps
            there = (0 - stays) & all_steps
            while i < n and entries[i] & all_steps != all_steps:
                kept += part_one(entries, other, i, kept, side, shift, flip, &here, &there)
                i += 1
                ties += 1
            if ties * FEW_TIES > i + FEW_TIES:
                break
            continue
        stays = side[entry >> shift] ^ flip
        entries[kept] = entry
        other[i - kept] = entry
        kept += <int64_t>stays
        i += 1
    while i < n:
        kept += part_one(entries, other, i, kept, side, shift, flip, &here, &there)
        i += 1
    n_other[0] = n - kept
    return kept


cdef inline int64_t part_one(Entry* entries, Entry* other, int64_t i, int64_t kept, const uint8_t* side, int shift,
                             Entry flip, Entry* here, Entry* there) noexcept nogil:
    """Send one entry; `here` and `there` are the steps that each side has not seen. Returns 1 if it stays."""
    cdef Entry entry = entries[i], all_steps = STEPS, stays = side[entry >> shift] ^ flip
    cdef Entry one = entry | here[0], two = entry | there[0]
    entries[kept] = one
    other[i - kept] = two
    here[0] = one & all_steps & (stays - 1)
    there[0] = two & all_steps & (0 - stays)
    return <int64_t>stays


cdef void part_in_many(const Entry* entries, int64_t n, const int32_t* branch, int shift, int n_branches,
                       const uint8_t* takes_missing, Entry** target, int64_t* filled, int64_t* last_run) noexcept nogil:
    """Divide a list among any number of branches; a branch whose target is NULL receives nothing.

    `filled` and `last_run` (two numbers per branch) are working memory.

    The one branch whose target is `entries` itself is safe: it is never filled beyond what was read.
    """
    cdef int64_t i
    cdef int64_t* grows = last_run + n_branches  # by branch: 1, or 0 if nothing is kept
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
