"""Match: which rules of a list match a row, using an index over their conditions.

The values of each column fall into slots: intervals between some of the numbers that conditions compare with, groups of
categories, and a slot for missing values. Every slot has one bit for each rule, set unless a condition on the column
excludes all values of the slot. The bits that are set for all of a row's slots are the rules that may match; only these
are checked condition by condition. A rule's weight is the product of its conditions' weights, in their order.

The rules of a list, and of a list of exceptions, are numbered consecutively: a list is a range of bits.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from hornbeam.core.base.interrupt cimport raise_stopped, stopping
from hornbeam.core.base.memory cimport enlarge

cdef extern from "hornbeam/core/base/compiler.h":
    int hb_lowest_bit(uint64_t bits) noexcept nogil

cdef enum Kind:  # of a condition
    AT_MOST = 0
    BELOW = 1
    ABOVE = 2
    AT_LEAST = 3
    BY_CODE = 4  # weights are looked up by code
    MISSING = 5  # no number passes

cdef enum:
    WORD = 64
    WORDS = 8  # words processed together
    RULES = 512  # rules in these words
    LOOK_EVERY = 256  # rows
    DONE = 0
    CANCELLED = -1

KINDS = {"AtMost": AT_MOST, "Below": BELOW, "Above": ABOVE, "AtLeast": AT_LEAST}
TABLE, NO_NUMBER = BY_CODE, MISSING


cdef struct Test:
    int column
    int kind
    double value
    double if_missing
    const double* by_code  # BY_CODE: weights of the codes

cdef struct Slots:  # of a column
    const double* edges  # boundaries of the slots, ascending; NULL: slots of codes
    int n_edges
    int n_slots  # without the slot for missing values
    int step  # codes in a slot
    int place  # index of the column among those of its kind
    uint64_t* bits  # slots x words, missing values last

cdef struct Asked:  # query rows, and the current one
    const double* numbers  # columns x rows
    const int32_t* codes
    int64_t n_rows
    int64_t row
    const uint64_t** here  # by column: the bits of the row's slot
    int64_t block  # the block of rules that was examined last
    uint64_t may_hold[WORDS]  # and which of its rules may match


cdef inline int slot_of(const Slots* slots, double number, int code) noexcept nogil:
    """The slot of a value: a number is above the edge before its slot and at most the edge after it."""
    cdef int low = 0, high = slots.n_edges, middle
    if slots.edges == NULL:
        return slots.n_slots if code < 0 else code // slots.step
    if number != number:
        return slots.n_slots
    while low < high:
        middle = (low + high) >> 1
        if slots.edges[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline double weight_of(const Test* test, double number, int code) noexcept nogil:
    """The weight with which a value passes a condition."""
    if test.kind == BY_CODE:
        return test.if_missing if code < 0 else test.by_code[code]
    if number != number:
        return test.if_missing
    if test.kind == AT_MOST:
        return number <= test.value
    if test.kind == BELOW:
        return number < test.value
    if test.kind == ABOVE:
        return number > test.value
    return number >= test.value if test.kind == AT_LEAST else 0.0


cdef bint may_pass(const Test* test, const Slots* slots, int slot, int n_codes) noexcept nogil:
    """Whether any value of a slot may pass."""
    cdef int code
    if slot == slots.n_slots:
        return test.if_missing > 0.0
    if test.kind == BY_CODE:
        for code in range(slot * slots.step, min((slot + 1) * slots.step, n_codes)):
            if test.by_code[code] > 0.0:
                return True
        return False
    if test.kind == AT_MOST or test.kind == BELOW:
        return slot == 0 or slots.edges[slot - 1] < test.value
    if test.kind == MISSING:
        return False
    return slot == slots.n_edges or slots.edges[slot] >= test.value


cdef class Matcher:
    """An index of lists of rules.

    Parameters
    ----------
    given : dict of arrays
        ``start``: where the conditions of each rule start; ``column``, ``kind``, ``value``, ``if_missing`` and
        ``table`` of each condition, the last being its index in ``code_weight``; of each column ``numeric``, and where
        its edges start (``edge_start``, ``edges``), or its ``n_codes`` and their ``step``; ``first`` and ``end`` of
        each list of rules with its ``default`` (-1: none); of each rule its list of ``exceptions`` (-1: none).
    fires : float
        The minimum weight with which a rule fires, if the first one decides.
    """

    cdef object given
    cdef object kept  # arrays that pointers refer to
    cdef int64_t n_rules
    cdef int64_t n_words
    cdef int n_columns
    cdef double fires
    cdef Test* tests
    cdef Slots* slots
    cdef const int64_t[::1] start
    cdef const int32_t[::1] first
    cdef const int32_t[::1] end
    cdef const int32_t[::1] default
    cdef const int32_t[::1] exceptions

    def __init__(self, given, double fires):
        cdef const double[::1] weights = given["code_weight"]
        cdef const double[::1] edges = given["edges"]
        cdef const double[::1] value = given["value"], if_missing = given["if_missing"]
        cdef const int32_t[::1] column = given["column"], kind = given["kind"], n_codes = given["n_codes"]
        cdef const int32_t[::1] step = given["step"], edge_start = given["edge_start"], numeric = given["numeric"]
        cdef const int64_t[::1] table = given["table"]
        cdef uint64_t[::1] bits
        cdef Slots* slots
        cdef Test* test
        cdef int64_t i, rule, n_numeric = 0
        cdef int c, slot
        self.given, self.fires = given, fires
        self.start, self.first, self.end = given["start"], given["first"], given["end"]
        self.default, self.exceptions = given["default"], given["exceptions"]
        self.n_rules, self.n_columns = self.start.shape[0] - 1, numeric.shape[0]
        self.n_words = (self.n_rules // RULES + 1) * WORDS
        enlarge(&self.tests, (column.shape[0] + 1) * sizeof(Test))
        enlarge(&self.slots, (self.n_columns + 1) * sizeof(Slots))
        self.kept = []
        for c in range(self.n_columns):
            slots = &self.slots[c]
            slots.edges = &edges[edge_start[c]] if numeric[c] else NULL
            slots.n_edges = edge_start[c + 1] - edge_start[c]
            slots.step = step[c]
            slots.n_slots = slots.n_edges + 1 if numeric[c] else (n_codes[c] + step[c] - 1) // step[c]
            slots.place = <int>(n_numeric if numeric[c] else c - n_numeric)
            n_numeric += numeric[c]
            bits = np.full((slots.n_slots + 1) * self.n_words, 0xFFFFFFFFFFFFFFFF, np.uint64)
            slots.bits = &bits[0]
            self.kept.append(np.asarray(bits))
        for i in range(column.shape[0]):
            test = &self.tests[i]
            test.column, test.kind, test.value, test.if_missing = column[i], kind[i], value[i], if_missing[i]
            test.by_code = &weights[table[i]]
        with nogil:
            for rule in range(self.n_rules):
                for i in range(self.start[rule], self.start[rule + 1]):
                    test = &self.tests[i]
                    slots = &self.slots[test.column]
                    for slot in range(slots.n_slots + 1):
                        if not may_pass(test, slots, slot, n_codes[test.column]):
                            slots.bits[slot * self.n_words + rule // WORD] &= ~(<uint64_t>1 << (rule % WORD))

    def __dealloc__(self):
        free(self.tests)
        free(self.slots)

    def __reduce__(self):
        return Matcher, (self.given, self.fires)

    cdef open(self, Asked* asked, const double[:, ::1] numbers, const int32_t[:, ::1] codes, int64_t n_rows):
        asked.numbers = &numbers[0, 0] if numbers.size else NULL
        asked.codes = &codes[0, 0] if codes.size else NULL
        asked.n_rows = n_rows
        asked.here = NULL
        enlarge(&asked.here, (self.n_columns + 1) * sizeof(uint64_t*))

    cdef void look_at(self, Asked* asked, int64_t row) noexcept nogil:
        """Find a row's slots."""
        cdef int c, slot
        cdef const Slots* slots
        asked.row, asked.block = row, -1
        for c in range(self.n_columns):
            slots = &self.slots[c]
            if slots.edges != NULL:
                slot = slot_of(slots, asked.numbers[slots.place * asked.n_rows + row], 0)
            else:
                slot = slot_of(slots, 0.0, asked.codes[slots.place * asked.n_rows + row])
            asked.here[c] = slots.bits + slot * self.n_words

    cdef void look_at_block(self, Asked* asked, int64_t block) noexcept nogil:
        """Find the rules of a block that may match."""
        cdef uint64_t bits[WORDS]
        cdef const uint64_t* own
        cdef int c, j
        for j in range(WORDS):
            bits[j] = ~<uint64_t>0
        for c in range(self.n_columns):
            own = asked.here[c] + block * WORDS
            for j in range(WORDS):
                bits[j] &= own[j]
        memcpy(asked.may_hold, bits, sizeof(bits))
        asked.block = block

    cdef int64_t next_rule(self, Asked* asked, int64_t rule, int64_t end) noexcept nogil:
        """The first rule from here on that may match, or `end`."""
        cdef int64_t block
        cdef uint64_t bits
        cdef int word
        while rule < end:
            block = rule // RULES
            if asked.block != block:
                self.look_at_block(asked, block)
            word = <int>(rule % RULES) // WORD
            bits = asked.may_hold[word] & (~<uint64_t>0 << (rule % WORD))
            while bits == 0 and word + 1 < WORDS:
                word += 1
                bits = asked.may_hold[word]
            if bits:
                return min(block * RULES + word * WORD + hb_lowest_bit(bits), end)
            rule = (block + 1) * RULES
        return end

    cdef double weigh(self, const Asked* asked, int64_t rule) noexcept nogil:
        """The weight with which the row passes a rule."""
        cdef double weight = 1.0
        cdef int64_t i
        cdef const Test* test
        cdef const Slots* slots
        for i in range(self.start[rule], self.start[rule + 1]):
            test = &self.tests[i]
            slots = &self.slots[test.column]
            if slots.edges != NULL:
                weight *= weight_of(test, asked.numbers[slots.place * asked.n_rows + asked.row], 0)
            else:
                weight *= weight_of(test, 0.0, asked.codes[slots.place * asked.n_rows + asked.row])
            if weight == 0.0:
                break
        return weight

    cdef int32_t decide(self, Asked* asked) noexcept nogil:
        """The rule that decides: the first that fires, or the first of its exceptions that fires, and so on."""
        cdef int32_t found = -1, chosen, of_list = 0
        cdef int64_t rule, end
        while of_list >= 0:
            chosen = self.default[of_list]
            end = self.end[of_list]
            rule = self.next_rule(asked, self.first[of_list], end)
            while rule < end:
                if self.weigh(asked, rule) >= self.fires:
                    chosen = <int32_t>rule
                    break
                rule = self.next_rule(asked, rule + 1, end)
            if chosen < 0:
                break
            found = chosen
            of_list = self.exceptions[chosen]
        return found

    def deciding(self, const double[:, ::1] numbers, const int32_t[:, ::1] codes, int64_t n_rows):
        """The rule that decides each row; -1: none."""
        cdef int32_t[::1] found = np.empty(n_rows, np.int32)
        cdef Asked asked
        cdef int64_t row
        cdef int status = DONE
        self.open(&asked, numbers, codes, n_rows)
        with nogil:
            for row in range(n_rows):
                if row % LOOK_EVERY == 0 and stopping():
                    status = CANCELLED
                    break
                self.look_at(&asked, row)
                found[row] = self.decide(&asked)
        free(asked.here)
        if status == CANCELLED:
            raise_stopped()
        return np.asarray(found)

    def holding(self, const double[:, ::1] numbers, const int32_t[:, ::1] codes, int64_t n_rows, double least):
        """The rules of the first list that match each row: where each row's rules start, the rules, and their weights.

        If `least` is not negative, each rule takes its part of the weight that the earlier rules have left, and the
        rest goes to the default if it is more than `least`.
        """
        cdef int64_t[::1] start = np.zeros(n_rows + 1, np.int64)
        cdef int32_t[::1] rule_array
        cdef double[::1] weight_array
        cdef int32_t* rules = NULL
        cdef double* weights = NULL
        cdef int64_t row, n = 0, room = 0, rule, end = self.end[0]
        cdef double weight, left
        cdef int status = DONE
        cdef Asked asked
        self.open(&asked, numbers, codes, n_rows)
        try:
            with nogil:
                for row in range(n_rows):
                    if row % LOOK_EVERY == 0 and stopping():
                        status = CANCELLED
                        break
                    self.look_at(&asked, row)
                    left = 1.0
                    rule = self.next_rule(&asked, self.first[0], end)
                    while True:
                        if rule < end:
                            weight = self.weigh(&asked, rule)
                        else:
                            weight = 1.0 if least >= 0.0 and self.default[0] >= 0 and left > least else 0.0
                        if least >= 0.0:
                            weight *= left
                            left -= weight
                        if weight > 0.0:
                            if n == room:
                                room = 2 * room + 1024
                                enlarge(&rules, room * sizeof(int32_t))
                                enlarge(&weights, room * sizeof(double))
                            rules[n] = <int32_t>rule if rule < end else self.default[0]
                            weights[n] = weight
                            n += 1
                        if rule >= end or (least >= 0.0 and left == 0.0):
                            break
                        rule = self.next_rule(&asked, rule + 1, end)
                    start[row + 1] = n
            if status == CANCELLED:
                raise_stopped()
            rule_array = np.empty(n, np.int32)
            weight_array = np.empty(n)
            if n:
                memcpy(&rule_array[0], rules, n * sizeof(int32_t))
                memcpy(&weight_array[0], weights, n * sizeof(double))
        finally:
            free(rules)
            free(weights)
            free(asked.here)
        return np.asarray(start), np.asarray(rule_array), np.asarray(weight_array)


def add_up(const int64_t[::1] start, const double[::1] weights, const int64_t[::1] places,
           const double[:, ::1] shares):
    """Sums over the rules of each row, in order: weights times probabilities, and weights; and the index of the
    greatest.

    `places` has, for each rule of each row, the index of its probabilities. The last result is an index in `weights`,
    -1 if a row has no rules.
    """
    cdef int64_t row, i, n_rows = start.shape[0] - 1
    cdef int k, n = <int>shares.shape[1]
    sums_array, total_array, greatest_array = np.zeros((n_rows, n)), np.zeros(n_rows), np.full(n_rows, -1, np.int64)
    cdef double[:, ::1] sums = sums_array
    cdef double[::1] total = total_array
    cdef int64_t[::1] greatest = greatest_array
    with nogil:
        for row in range(n_rows):
            for i in range(start[row], start[row + 1]):
                for k in range(n):
                    sums[row, k] += weights[i] * shares[places[i], k]
                total[row] += weights[i]
                if greatest[row] < 0 or weights[i] > weights[greatest[row]]:
                    greatest[row] = i
    return sums_array, total_array, greatest_array
