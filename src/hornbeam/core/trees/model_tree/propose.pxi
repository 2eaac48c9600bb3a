# The split of a node.

cdef double CLEARLY = 1.0 - 1e-9  # an error above this fraction of another is not smaller, up to rounding

cdef class Proposer(Judge):
    """Cuts of one node: proposed column by column, refined with equations, and one of them chosen."""

    cdef void number_cut(
        self, int64_t start, int64_t end, double mean, double weight, double slack, Cut* found
    ) noexcept nogil:
        """The cut of a number with the greatest reduction of the deviation."""
        cdef int64_t i, known = end, f = found.feature
        cdef const uint32_t* rows = &self.orders[self.list_of[f], 0]
        cdef double w, x, total = 0.0, squares = 0.0, all_weight = 0.0, value, following, before, now
        cdef double low_weight = 0.0, low_total = 0.0, low_squares = 0.0
        while known > start and isnan(self.values[rows[known - 1], f]):
            known -= 1
        if known - start < 2 or self.values[rows[start], f] == self.values[rows[known - 1], f]:
            return
        for i in range(start, known):
            w = self.weight_of(rows[i])
            x = found.explained[rows[i]] - mean
            all_weight += w
            total += w * x
            squares += w * x * x
        before = impurity(all_weight, total, squares, squares)
        following = self.values[rows[start], f]
        for i in range(start, known - 1):
            w = self.weight_of(rows[i])
            x = found.explained[rows[i]] - mean
            low_weight += w
            low_total += w * x
            low_squares += w * x * x
            value = following
            following = self.values[rows[i + 1], f]
            if value == following or low_weight < self.min_branch:
                continue
            if all_weight - low_weight < self.min_branch:
                break
            now = impurity(low_weight, low_total, low_squares, squares)
            now += impurity(all_weight - low_weight, total - low_total, squares - low_squares, squares)
            # m / T times the reduction among the m of T rows whose value is known
            if (before - now) / weight > found.gain + slack:
                found.gain = (before - now) / weight
                found.at = value + 0.5 * (following - value)
                if not value <= found.at < following:
                    found.at = value
                found.missing_up = 2 * low_weight < all_weight

    cdef void category_cut(
        self, int64_t start, int64_t end, double mean, double weight, double slack, Cut* found
    ) noexcept nogil:
        """The cut of categories, ordered by their means here, with the greatest reduction of the deviation."""
        cdef int64_t i, j, code, n_codes = self.n_codes[found.feature], shown = 0, best = -1
        cdef const uint32_t* rows = &self.orders[self.n_lists - 1, 0]
        cdef double w, x, value, total = 0.0, squares = 0.0, all_weight = 0.0, before, now
        cdef double low_weight = 0.0, low_total = 0.0, low_squares = 0.0, heavier = 0.0
        for code in range(n_codes):
            self.code_weight[code] = self.code_total[code] = self.code_squares[code] = 0.0
        for i in range(start, end):
            value = self.values[rows[i], found.feature]
            if isnan(value):
                continue
            code = <int64_t>value
            w = self.weight_of(rows[i])
            x = found.explained[rows[i]] - mean
            self.code_weight[code] += w
            self.code_total[code] += w * x
            self.code_squares[code] += w * x * x
        for code in range(n_codes):
            if self.code_weight[code] <= 0.0:
                continue
            all_weight += self.code_weight[code]
            total += self.code_total[code]
            squares += self.code_squares[code]
            self.code_mean[shown] = self.code_total[code] / self.code_weight[code]
            self.shown_code[shown] = code
            shown += 1
        hb_sort_indices(&self.code_order[0], &self.code_spare[0], &self.code_mean[0], shown)
        before = impurity(all_weight, total, squares, squares)
        for j in range(shown - 1):
            code = self.shown_code[self.code_order[j]]
            low_weight += self.code_weight[code]
            low_total += self.code_total[code]
            low_squares += self.code_squares[code]
            if low_weight < self.min_branch or all_weight - low_weight < self.min_branch:
                continue
            now = impurity(low_weight, low_total, low_squares, squares)
            now += impurity(all_weight - low_weight, total - low_total, squares - low_squares, squares)
            if (before - now) / weight > found.gain + slack:
                found.gain = (before - now) / weight
                best, heavier = j, low_weight
        if best < 0:
            return
        # categories that do not occur here go to the heavier side, like missing values
        found.missing_up = 2 * heavier < all_weight
        memset(found.upper, found.missing_up, n_codes)
        for j in range(shown):
            found.upper[self.shown_code[self.code_order[j]]] = j > best

    cdef bint move(self, int64_t start, int64_t end, Cut* cut) noexcept nogil:
        """Move a cut to where the equations of its sides have the smallest error; returns whether it moved."""
        cdef int64_t i, code, shown = 0, f = cut.feature, best = -1
        cdef const uint32_t* rows = &self.orders[self.list_of[f], 0]
        cdef double total = 0.0, least = 0.0, weight = 0.0, all_weight = 0.0, value, following, at = cut.at
        cdef double slack = 0.0
        cdef bint moved = False
        if self.n_codes[f]:
            rows = &self.orders[self.n_lists - 1, 0]
            for code in range(self.n_codes[f]):
                self.code_weight[code] = self.code_total[code] = 0.0
            for i in range(start, end):
                value = self.values[rows[i], f]
                if not isnan(value):
                    self.code_weight[<int64_t>value] += self.weight_of(rows[i])
                    self.code_total[<int64_t>value] += self.swing[rows[i]]
            for code in range(self.n_codes[f]):
                if self.code_weight[code] > 0.0:
                    all_weight += self.code_weight[code]
                    if self.code_total[code] > 0.0:
                        weight += self.code_weight[code]
                    moved = moved or cut.upper[code] != (self.code_total[code] > 0.0)
            if not moved or weight < self.min_branch or all_weight - weight < self.min_branch:
                return False
            cut.missing_up = 2 * weight > all_weight
            memset(cut.upper, cut.missing_up, self.n_codes[f])
            for code in range(self.n_codes[f]):
                if self.code_weight[code] > 0.0:
                    cut.upper[code] = self.code_total[code] > 0.0
            return True
        while end > start and isnan(self.values[rows[end - 1], f]):
            end -= 1
        for i in range(start, end):
            all_weight += self.weight_of(rows[i])
            slack += NO_GAIN * fabs(self.swing[rows[i]])
        following = self.values[rows[start], f]
        for i in range(start, end - 1):
            total += self.swing[rows[i]]
            weight += self.weight_of(rows[i])
            value = following
            following = self.values[rows[i + 1], f]
            if value == following or weight < self.min_branch or all_weight - weight < self.min_branch:
                continue
            if best < 0 or total < least - slack:
                best, least = i, total
                cut.missing_up = 2 * weight < all_weight
                cut.at = value + 0.5 * (following - value)
                if not value <= cut.at < following:
                    cut.at = value
        return cut.at != at

    cdef int64_t propose(
        self, int64_t start, int64_t end, double weight, const double* explained, Cut* found
    ) noexcept nogil:
        """Propose a cut for every column, best first; returns how many there are."""
        cdef const uint32_t* rows = &self.orders[self.n_lists - 1, 0]
        cdef int64_t i, f, n = 0
        cdef double mean = 0.0, deviation = 0.0, x, slack
        cdef Cut cut
        for i in range(start, end):
            mean += self.weight_of(rows[i]) * explained[rows[i]]
        mean /= weight
        for i in range(start, end):
            x = explained[rows[i]] - mean
            deviation += self.weight_of(rows[i]) * x * x
        slack = NO_GAIN * sqrt(deviation / weight)
        for f in range(self.n_features):
            cut = found[n]
            cut.feature, cut.gain, cut.explained = f, 0.0, explained
            if self.n_codes[f]:
                self.category_cut(start, end, mean, weight, slack, &cut)
            else:
                self.number_cut(start, end, mean, weight, slack, &cut)
            if cut.gain <= slack:
                continue
            i = n
            while i > 0 and cut.gain > found[i - 1].gain + slack:
                found[i] = found[i - 1]
                i -= 1
            found[i] = cut
            n += 1
        return n

    cdef Cut choose(
        self, int64_t start, int64_t end, double weight, bint closely, int64_t most, double own
    ) noexcept nogil:
        """The split of a node; its feature is -1 if there is none. `own` is the error of the node's equation."""
        cdef int64_t n, more = 0, i
        cdef const uint32_t* rows = &self.orders[self.n_lists - 1, start]
        cdef Cut found, before
        cdef double least = 0.0, error
        self.gains = True
        n = self.propose(start, end, weight, &self.target[0], self.candidates)
        found = self.candidates[0]
        if n == 0:
            found.feature = -1
        if not closely or n == 0:
            return found
        n = min(n, most)
        for i in range(n):
            if stopping():  # the choice no longer matters
                return found
            error = self.judge(rows, end - start, True, &self.candidates[i])
            if i == 0 or error < CLEARLY * least:
                found, least = self.candidates[i], error
        more = min(self.propose(start, end, weight, &self.left[0], self.candidates + self.n_features), most)
        for i in range(self.n_features, self.n_features + more):
            if stopping():
                return found
            error = self.judge(rows, end - start, True, &self.candidates[i])
            if error < CLEARLY * least:
                found, least = self.candidates[i], error
        least = self.judge(rows, end - start, False, &found)
        for i in range(MOST_MOVES):
            if stopping():
                return found
            # alternate between fitting the equations of the sides and moving the cut, as long as that improves
            before = found
            if self.n_codes[found.feature]:
                memcpy(&self.kept_codes[0], found.upper, self.n_codes[found.feature])
            self.compare(rows, end - start)
            if not self.move(start, end, &found):
                break
            error = self.judge(rows, end - start, False, &found)
            if not error < CLEARLY * least:
                found = before
                if self.n_codes[found.feature]:
                    memcpy(found.upper, &self.kept_codes[0], self.n_codes[found.feature])
                break
            least = error
        self.gains = least < CLEARLY * own
        return found
