"""The basic covering algorithm: conditions are added to a rule for a class until it covers no other class.

Columns are sorted once. The first condition of a rule is sought among all rows still to be covered, so that search must
not touch them all: sums are kept of every block of a sorted column, and a block is opened only where a cut inside it
could win even if the class came first there; categories are counted as rows go. Rules in a row often begin with the
same category: its rows become a problem of their own, kept for the next rule. From then on a rule is grown on lists of
the rows that it covers, sorted by every column. Every condition is the best of all columns by p/t or by information
gain, where t is the weight that the rule would cover and p the weight of the class in it; of equals the one with more
p, then the first: columns in order, codes or cuts rising, below a cut before above it.
"""

import numpy as np

from libc.math cimport fabs, log2
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

BELOW, AT_LEAST, IN, MISSING = 0, 1, 2, 3
SHARE, GAIN = 0, 1  # p/t; p (log p/t - log P/T)
LEAST_ROWS = 512  # a category with fewer rows is not worth a problem of its own
MOST_LEVELS = 2  # nor is a category of a category of a category

include "cover_measure.pxi"


cdef class Cover:
    """Rows to be covered by rules, their columns sorted.

    Parameters
    ----------
    numbers : list of float64 arrays or None
        A numeric column's values, NaN for missing.
    orders : list of uint32 arrays or None
        Its rows with a value, by rising value.
    codes : list of int32 arrays or None
        A nominal column's codes, -1 for missing.
    n_codes : list of int
        How many categories it has; 0 for a numeric column.
    classes : int32 array
        The class of every row.
    weights : float64 array
        The weight of every row.
    n_classes : int
    """

    cdef list numbers, orders, codes
    cdef list of_code, code_start  # rows of every category in turn, then those without one; of numbers, only the latter
    cdef list left, rank  # rows of a numeric column in order, some of them gone; and where each row stands there
    cdef list sums, totals  # of every block of that order: class weights, and all weight
    cdef list counts  # of a nominal column: class weights of every category
    cdef int64_t[::1] n_codes, n_known  # rows of a numeric column that are not gone
    cdef const int32_t[::1] classes
    cdef const double[::1] weights
    cdef int64_t n_columns, n_rows, n_classes, block
    cdef uint8_t[::1] here, inside  # the row is still to be covered; is covered by the rule so far
    cdef double[::1] class_left
    cdef list working  # rows that the rule covers, by every numeric column; the last: in their own order
    cdef int64_t[::1] n_working
    cdef double[::1] code_p, code_t
    cdef int64_t[::1] ranked, kept_codes
    cdef int level  # how many categories deep
    cdef dict parts  # the rows of a category, (column, code), as a problem of their own
    cdef list number  # of every nominal column with parts: a row's number in its category's part
    cdef object origin  # the numbers that a part's rows have in the whole

    def __init__(self, numbers, orders, codes, n_codes, classes, weights, n_classes):
        self.numbers, self.orders, self.codes = numbers, orders, codes
        self.level, self.origin = 0, None
        self.n_codes = np.array(n_codes, np.int64)
        self.classes, self.weights = classes, weights
        self.n_columns, self.n_rows, self.n_classes = len(n_codes), len(classes), n_classes
        self.block = 1 << max(4, int(self.n_rows).bit_length() // 2 - 1)
        most = max(n_codes, default=0) + 1
        self.code_p, self.code_t = np.empty(most), np.empty(most)
        self.ranked, self.kept_codes = np.empty(most, np.int64), np.empty(most, np.int64)
        self.inside = np.zeros(self.n_rows, np.uint8)
        self.n_working = np.zeros(self.n_columns + 1, np.int64)
        self.n_known = np.zeros(self.n_columns, np.int64)
        self.of_code, self.code_start = [], []
        for column in range(self.n_columns):
            if self.n_codes[column]:
                found = np.where(codes[column] < 0, self.n_codes[column], codes[column])
            else:
                found = np.where(np.isnan(numbers[column]), 0, -1)
            order = np.argsort(found, kind="stable").astype(np.uint32)
            sizes = np.bincount(found + 1, minlength=self.n_codes[column] + 2)
            self.of_code.append(order)
            self.code_start.append(np.cumsum(sizes))  # the entry of code k: where its rows begin
        self.restore()

    def restore(self):
        """Start again with all rows."""
        weights, classes = np.asarray(self.weights), np.asarray(self.classes)
        self.here = np.ones(self.n_rows, np.uint8)
        self.parts, self.number = {}, [None] * self.n_columns
        self.class_left = np.bincount(classes, weights, minlength=self.n_classes).astype(np.float64)
        self.left, self.rank, self.sums, self.totals, self.counts = [], [], [], [], []
        for column in range(self.n_columns):
            n_codes = self.n_codes[column]
            if n_codes:
                found = np.where(self.codes[column] < 0, n_codes, self.codes[column]).astype(np.int64)
                cells = np.bincount(found * self.n_classes + classes, weights, minlength=(n_codes + 1) * self.n_classes)
                self.counts.append(cells.reshape(n_codes + 1, self.n_classes).astype(np.float64))
            else:
                self.counts.append(None)
            self.left.append(None)
            self.rank.append(None)
            self.sums.append(None)
            self.totals.append(None)
            if n_codes == 0:
                self.index(column, self.orders[column])

    cdef void index(self, int64_t column, order) except *:
        """Take an order of a column's rows as it is, and sum up its blocks."""
        rank = np.zeros(self.n_rows, np.uint32)
        rank[order] = np.arange(len(order), dtype=np.uint32)
        blocks = np.arange(len(order)) // self.block
        classes, weights = np.asarray(self.classes)[order], np.asarray(self.weights)[order]
        count = (len(order) + self.block - 1) // self.block
        sums = np.bincount(blocks * self.n_classes + classes, weights, minlength=count * self.n_classes)
        self.left[column], self.rank[column] = order, rank
        # of no rows at all, counts come as whole numbers
        self.sums[column] = sums.reshape(count, self.n_classes).astype(np.float64)
        self.totals[column] = np.bincount(blocks, weights, minlength=count).astype(np.float64)
        self.n_known[column] = len(order)

    def class_weights(self):
        """The weight of every class among the rows still to be covered."""
        return np.array(self.class_left)

    def rows(self):
        """The rows still to be covered, rising."""
        return np.flatnonzero(self.here)

    def remove(self, const int64_t[::1] rows):
        """Take rows away that were still to be covered."""
        cdef int64_t i, column, n = rows.shape[0], code, place, block = self.block
        cdef uint32_t row
        cdef const int32_t[::1] codes
        cdef const double[::1] values
        cdef const uint32_t[::1] rank
        cdef double[:, ::1] sums
        cdef double[::1] totals
        self.remove_from_parts(rows)
        for i in range(n):
            row = <uint32_t>rows[i]
            self.here[row] = 0
            self.class_left[self.classes[row]] -= self.weights[row]
        for i in range(self.n_classes):  # what is left of sums of fractions is nothing
            if self.class_left[i] < 1e-9 * (1.0 + fabs(self.class_left[i])):
                self.class_left[i] = 0.0
        for column in range(self.n_columns):
            if self.n_codes[column]:
                codes, sums = self.codes[column], self.counts[column]
                for i in range(n):
                    row = <uint32_t>rows[i]
                    code = codes[row] if codes[row] >= 0 else self.n_codes[column]
                    sums[code, self.classes[row]] -= self.weights[row]
                continue
            values, rank = self.numbers[column], self.rank[column]
            sums, totals = self.sums[column], self.totals[column]
            for i in range(n):
                row = <uint32_t>rows[i]
                if values[row] == values[row]:
                    place = rank[row] // block
                    sums[place, self.classes[row]] -= self.weights[row]
                    totals[place] -= self.weights[row]
                    self.n_known[column] -= 1
            if 2 * self.n_known[column] < len(self.left[column]):
                order = self.left[column]
                self.index(column, order[np.asarray(self.here)[order] == 1])

    cdef void remove_from_parts(self, rows) except *:
        if not self.parts:
            return
        rows = np.asarray(rows)
        for column in {column for column, _ in self.parts}:
            codes = np.asarray(self.codes[column])[rows]
            for code in np.unique(codes).tolist():
                part = self.parts.get((column, code))
                if part is not None:
                    part.remove(self.number[column][rows[codes == code]])

    cdef Cover part(self, int64_t column, int64_t code):
        """The rows of a category still to be covered, as a problem of their own; None where they are few."""
        cdef Cover made
        if (column, code) in self.parts:
            return self.parts[column, code]
        start = self.code_start[column]
        if self.level >= MOST_LEVELS or start[code + 1] - start[code] < LEAST_ROWS:
            return None
        rows = self.of_code[column][start[code] : start[code + 1]]
        rows = rows[np.asarray(self.here)[rows] == 1]
        if len(rows) < LEAST_ROWS:
            return None
        if self.number[column] is None:
            self.number[column] = np.zeros(self.n_rows, np.int64)
        number = self.number[column]
        number[rows] = np.arange(len(rows))
        orders = self.listed(rows)
        made = Cover(
            [None if values is None else np.asarray(values)[rows] for values in self.numbers],
            [None if order is None else number[order].astype(np.uint32) for order in orders],
            [None if codes is None else np.asarray(codes)[rows] for codes in self.codes],
            np.asarray(self.n_codes).tolist(),
            np.asarray(self.classes)[rows],
            np.asarray(self.weights)[rows],
            self.n_classes,
        )
        made.level = self.level + 1
        made.origin = rows.astype(np.int64)
        self.parts[column, code] = made
        return made

    def grow(self, int label, int measure, bint sets, bint own_missing, bint idle, int64_t most):
        """Grow a rule for a class on the rows still to be covered.

        Parameters
        ----------
        label : int
            The class.
        measure : int
            `SHARE` or `GAIN`.
        sets : bool
            A condition may ask for one of several categories.
        own_missing : bool
            "Is missing" is a condition too; else a missing value fails every condition.
        idle : bool
            Conditions that exclude no row are added too, each nominal column once, until there is no column left.
        most : int
            At most so many conditions.

        Returns
        -------
        list of tuple
            For every condition in order: column, relation, cut, codes (a tuple), p and t of the rule up to it, and the
            rows that it then covers.
        """
        cdef int64_t column, i, at = self.n_columns
        cdef double p = self.class_left[label], t = 0.0
        cdef Best best, floor
        cdef bint first = True
        cdef const double[::1] values
        cdef const int32_t[::1] codes
        cdef uint32_t[::1] rows, all_rows
        cdef list steps = []
        cdef Cover part
        cdef uint8_t[::1] used = np.zeros(self.n_columns, np.uint8)
        for i in range(self.n_classes):
            t += self.class_left[i]
        while p < t and len(steps) < most:
            best.column = -1
            best.p = best.t = best.score = best.cut = best.low = best.high = 0.0
            best.relation = 0
            best.code = 0
            floor = best
            if first:  # what categories offer is known at once, and spares most of the search in numbers
                for column in range(self.n_columns):
                    if self.n_codes[column]:
                        self.count_all(column, label)
                        self.scan_codes(measure, sets, own_missing, idle, column, p, t, &floor)
            else:
                all_rows = self.working[at]
            for column in range(self.n_columns):
                if self.n_codes[column] == 0:
                    if self.n_known[column] == 0:
                        continue
                    values = self.numbers[column]
                    if first:
                        self.scan_blocks(&values[0], label, measure, own_missing, column, p, t, &floor, &best)
                    elif self.n_working[column]:
                        rows = self.working[column]
                        self.scan_numbers(&values[0], &rows[0], self.n_working[column], label, measure, own_missing,
                                          column, p, t, &best)
                elif not used[column]:
                    if first:
                        self.count_all(column, label)
                    else:
                        codes = self.codes[column]
                        self.count_some(&codes[0], &all_rows[0], self.n_working[at], label, self.n_codes[column])
                    self.scan_codes(measure, sets, own_missing, idle, column, p, t, &best)
            if best.column < 0 or (best.t >= t and not idle) or best.p * t < p * best.t * (1.0 - 1e-12):
                break
            best.cut = middle(best.low, best.high)
            if first and best.relation == 2 and best.code == 1 and not idle:
                part = self.part(best.column, self.kept_codes[0])
                if part is not None:
                    codes_kept = (self.kept_codes[0],)
                    origin = part.origin
                    steps.append((best.column, 2, 0.0, codes_kept, best.p, best.t, origin[part.rows()]))
                    for step in part.grow(label, measure, sets, own_missing, idle, most - 1):
                        steps.append((*step[:6], origin[step[6]]))
                    return steps
            if self.n_codes[best.column] and not sets:
                used[best.column] = True
            if first:
                self.enter(&best)
            else:
                self.narrow(&best)
            steps.append((
                best.column, best.relation, best.cut, tuple(np.sort(self.kept_codes[: best.code]).tolist()),
                best.p, best.t, np.asarray(self.working[at])[: self.n_working[at]].astype(np.int64),
            ))
            first = False
            p = best.p
            t = best.t
        return steps

    cdef void scan_blocks(
        self, const double* values, int label, int measure, bint own_missing, int64_t column,
        double whole_p, double whole_t, const Best* floor,  # IN
        Best* best,  # IN, OUT
    ) except *:
        """The best cut of a numeric column among all rows still to be covered."""
        cdef const uint32_t[::1] rows = self.left[column]
        cdef double[:, ::1] sums = self.sums[column]
        cdef double[::1] totals = self.totals[column]
        cdef int64_t block, i, stop, n = rows.shape[0], before
        cdef double known_p = 0.0, known_t = 0.0, p = 0.0, t = 0.0, block_p
        with nogil:
            for block in range(sums.shape[0]):
                known_p += sums[block, label]
                known_t += totals[block]
            for block in range(sums.shape[0]):
                block_p = sums[block, label]
                if not (could_win(measure, p + block_p, t + block_p, whole_p, whole_t, floor, best)
                        or could_win(measure, known_p - p, known_t - t - totals[block] + block_p, whole_p, whole_t,
                                     floor, best)):
                    p += block_p
                    t += totals[block]
                    continue
                i = block * self.block
                stop = min(i + self.block, n)
                before = i - 1
                while before >= 0 and not self.here[rows[before]]:
                    before -= 1
                self.scan_range(values, &rows[0], i, stop, before, label, measure, column, known_p, known_t,
                                whole_p, whole_t, &p, &t, best)
            if own_missing and known_t < whole_t * (1.0 - 1e-12):
                offer_missing(measure, column, whole_p - known_p, whole_t - known_t, whole_p, whole_t, best)

    cdef void scan_range(
        self, const double* values, const uint32_t* rows, int64_t i, int64_t stop, int64_t before, int label,
        int measure, int64_t column, double known_p, double known_t, double whole_p, double whole_t,  # IN
        double* p, double* t, Best* best,  # IN, OUT
    ) noexcept nogil:
        """Offer the cuts below every row of a range; rows that are gone do not count."""
        cdef uint32_t row
        while i < stop:
            row = rows[i]
            if self.here[row]:
                if before >= 0 and values[row] != values[rows[before]]:
                    if is_better(measure, p[0], t[0], whole_p, whole_t, best):
                        best.column, best.relation, best.p, best.t, best.code = column, 0, p[0], t[0], 0
                        best.low, best.high = values[rows[before]], values[row]
                    if is_better(measure, known_p - p[0], known_t - t[0], whole_p, whole_t, best):
                        best.column, best.relation, best.code = column, 1, 0
                        best.p, best.t = known_p - p[0], known_t - t[0]
                        best.low, best.high = values[rows[before]], values[row]
                t[0] += self.weights[row]
                if self.classes[row] == label:
                    p[0] += self.weights[row]
                before = i
            i += 1

    cdef void scan_numbers(
        self, const double* values, const uint32_t* rows, int64_t n, int label, int measure, bint own_missing,
        int64_t column, double whole_p, double whole_t,  # IN
        Best* best,  # IN, OUT
    ) noexcept nogil:
        """The best cut of a numeric column among the rows that the rule covers."""
        cdef int64_t i
        cdef uint32_t row
        cdef double known_p = 0.0, known_t = 0.0, p = 0.0, t = 0.0
        for i in range(n):
            row = rows[i]
            known_t += self.weights[row]
            if self.classes[row] == label:
                known_p += self.weights[row]
        self.scan_range(values, rows, 0, n, -1, label, measure, column, known_p, known_t, whole_p, whole_t, &p, &t,
                        best)
        if own_missing and known_t < whole_t * (1.0 - 1e-12):
            offer_missing(measure, column, whole_p - known_p, whole_t - known_t, whole_p, whole_t, best)

    cdef void count_all(self, int64_t column, int label) except *:
        """Weights of every category among all rows still to be covered."""
        cdef double[:, ::1] counts = self.counts[column]
        cdef int64_t code, k
        for code in range(counts.shape[0]):
            self.code_p[code] = counts[code, label]
            self.code_t[code] = 0.0
            for k in range(self.n_classes):
                self.code_t[code] += counts[code, k]

    cdef void count_some(
        self, const int32_t* codes, const uint32_t* rows, int64_t n, int label, int64_t n_codes
    ) noexcept nogil:
        """Weights of every category among the rows that the rule covers."""
        cdef int64_t i, code
        cdef uint32_t row
        for i in range(n_codes + 1):
            self.code_p[i] = 0.0
            self.code_t[i] = 0.0
        for i in range(n):
            row = rows[i]
            code = codes[row] if codes[row] >= 0 else n_codes
            self.code_t[code] += self.weights[row]
            if self.classes[row] == label:
                self.code_p[code] += self.weights[row]

    cdef void scan_codes(
        self, int measure, bint sets, bint own_missing, bint idle, int64_t column, double whole_p, double whole_t,  # IN
        Best* best,  # IN, OUT
    ) noexcept nogil:
        """The best category, or set of categories, by the weights counted."""
        cdef int64_t i, j, n_codes = self.n_codes[column], code, n_ranked = 0
        cdef double p = 0.0, t = 0.0, whole = whole_t * (1.0 - 1e-12)
        for code in range(n_codes):
            if self.code_t[code] >= whole and not idle:
                return  # all rows have one category
            if self.code_p[code] > 1e-9 * whole_p and is_better(
                measure, self.code_p[code], self.code_t[code], whole_p, whole_t, best
            ):
                best.column, best.relation, best.p, best.t = column, 2, self.code_p[code], self.code_t[code]
                best.code = 1
                self.kept_codes[0] = code
        if own_missing and self.code_t[n_codes] < whole:
            offer_missing(measure, column, self.code_p[n_codes], self.code_t[n_codes], whole_p, whole_t, best)
        if not sets:
            return
        # The best set of k categories has the k with the greatest shares of the class.
        for code in range(n_codes):
            if self.code_p[code] <= 1e-9 * whole_p:
                continue
            j = n_ranked
            while j > 0 and (self.code_p[self.ranked[j - 1]] * self.code_t[code]
                             < self.code_p[code] * self.code_t[self.ranked[j - 1]]):
                self.ranked[j] = self.ranked[j - 1]
                j -= 1
            self.ranked[j] = code
            n_ranked += 1
        for i in range(n_ranked):
            p += self.code_p[self.ranked[i]]
            t += self.code_t[self.ranked[i]]
            if i > 0 and t < whole and is_better(measure, p, t, whole_p, whole_t, best):
                best.column, best.relation, best.p, best.t = column, 2, p, t
                best.code = i + 1
                for j in range(i + 1):
                    self.kept_codes[j] = self.ranked[j]

    cdef void enter(self, Best* best) except *:
        """Make the working lists those of the rows that the first condition covers."""
        cdef int64_t column, at = self.n_columns
        here = np.asarray(self.here)
        if best.relation <= 1:
            order = self.left[best.column]
            place = self.below(best.column, best.cut)
            found = order[:place] if best.relation == 0 else order[place:]
        else:
            order, start = self.of_code[best.column], self.code_start[best.column]
            if best.relation == 3:
                found = order[start[self.n_codes[best.column]] :]
            else:
                kept = np.asarray(self.kept_codes)[: best.code]
                found = np.concatenate([order[start[code] : start[code + 1]] for code in kept])
        found = np.sort(found[here[found] == 1])
        self.working = [*self.listed(found), found]
        self.n_working[at] = len(found)
        for column in range(at):
            if self.n_codes[column] == 0:
                self.n_working[column] = len(self.working[column])

    cdef list listed(self, found):
        """Some rows, rising, in the order of every numeric column."""
        cdef int64_t column
        cdef list lists = []
        many = len(found) * 8 > self.n_rows
        inside = np.asarray(self.inside)
        if many:
            inside[found] = 1
        for column in range(self.n_columns):
            if self.n_codes[column]:
                lists.append(None)
                continue
            order, rank, values = self.left[column], self.rank[column], self.numbers[column]
            if many:
                lists.append(order[inside[order] == 1])
            else:
                known = found[values[found] == values[found]]
                lists.append(order[np.sort(rank[known])])
        if many:
            inside[found] = 0
        return lists

    cdef int64_t below(self, int64_t column, double cut) except -1:
        """How many rows of a numeric column's order lie below a cut."""
        cdef const uint32_t[::1] rows = self.left[column]
        cdef const double[::1] values = self.numbers[column]
        cdef int64_t low = 0, high = rows.shape[0], half
        while low < high:
            half = (low + high) // 2
            if values[rows[half]] < cut:
                low = half + 1
            else:
                high = half
        return low

    cdef void narrow(self, Best* best) except *:
        """Make the working lists those of the rows that one more condition covers."""
        cdef int64_t i, j, n, column, at = self.n_columns
        cdef uint32_t row
        cdef uint32_t[::1] rows = self.working[at]
        cdef const double[::1] values
        cdef const int32_t[::1] codes
        cdef const double* numbers = NULL
        cdef const int32_t* categories = NULL
        cdef bint passes
        if self.n_codes[best.column] == 0:
            values = self.numbers[best.column]
            numbers = &values[0]
        else:
            codes = self.codes[best.column]
            categories = &codes[0]
        for i in range(self.n_working[at]):
            row = rows[i]
            if best.relation == 0:
                passes = numbers[row] < best.cut
            elif best.relation == 1:
                passes = numbers[row] >= best.cut
            elif best.relation == 3:
                passes = numbers[row] != numbers[row] if numbers != NULL else categories[row] < 0
            else:
                passes = False
                for j in range(best.code):
                    passes = passes or categories[row] == self.kept_codes[j]
            self.inside[row] = passes
        for column in range(at + 1):
            if column < at and self.n_codes[column]:
                continue
            rows = self.working[column]
            n = self.n_working[column]
            self.n_working[column] = filtered(rows, n, self.inside)
        rows = self.working[at]
        for i in range(self.n_working[at]):
            self.inside[rows[i]] = 0


cdef int64_t filtered(uint32_t[::1] rows, int64_t n, const uint8_t[::1] wanted) noexcept nogil:
    """Move the rows wanted to the front, in order; give how many there are."""
    cdef int64_t i, kept = 0
    cdef uint32_t row
    for i in range(n):
        row = rows[i]
        rows[kept] = row
        kept += wanted[row]
    return kept


def middle(low: float, high: float) -> float:
    """A number above `low` and not above `high`, half-way but for digits that nobody wants to read."""
    half = low + (high - low) / 2.0
    short = float(f"{half:.12g}")
    if low < short <= high:
        return short
    return half if low < half else high
