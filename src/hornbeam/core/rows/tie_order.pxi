# Part of presort.pyx: the orders in which the quicksorts of two other programs leave equal values.
#
# Where the rounding of sums decides ties, they must be taken in the order of the other program. Only its own sort gives
# that order, so these two are used for nothing else. All other sorts of the kernels are in rows/sort.h.


cdef enum:
    LONG_PIECE = 11  # shorter pieces are sorted by insertion
    SWAP_BLOCK = 64  # words that are compared with a pivot at once


# ---- rpart's sort --------------------------------------------------------------------------------------------------


def sort_by_halves(const double[::1] values, known=None):
    """Order of all rows by value, with ties in the order of rpart's quicksort; a missing value counts as 0.

    The sort divides by the median of the first, middle and last value, swapping pairs from both ends; short pieces are
    sorted by insertion. A piece without equal values has only one order and is not sorted this way.

    Parameters
    ----------
    values : float64 array
    known : uint32 array, optional
        Their order, with ties in any order, if it is known.

    Returns
    -------
    uint32 array
    """
    cdef int64_t n = values.shape[0], i
    cdef const double[::1] keys = values
    if known is None or len(known) < n:
        keys = np.nan_to_num(np.asarray(values), nan=0.0)
        known = sort_known(keys)
    cdef const uint32_t[::1] order = known
    cdef uint64_t[::1] words = np.empty(n, np.uint64)  # by position: rank and row
    # by sorted position, with one more at both ends: running count of values that equal the previous one
    cdef uint32_t[::1] repeats = np.zeros(n + 2, np.uint32)
    cdef uint32_t[::1] sorted_rows
    cdef uint64_t rank = 0
    cdef uint32_t repeated = 0
    if n == 0:
        return known
    with nogil:
        for i in range(n):
            if i and keys[order[i]] == keys[order[i - 1]]:
                repeated += 1
            else:
                rank = <uint64_t>i
            repeats[i + 1] = repeated
            words[order[i]] = rank << 32 | order[i]
    if repeated == 0:
        return known
    repeats[n + 1] = repeated
    sorted_rows = np.empty(n, np.uint32)
    with nogil:
        quicksort(&words[0], n, &order[0], &repeats[0])
        for i in range(n):
            sorted_rows[i] = <uint32_t>words[i]
    return np.asarray(sorted_rows)


cdef void quicksort(uint64_t* words, int64_t n, const uint32_t* order, const uint32_t* repeats) noexcept nogil:
    """Sort ranks, in the upper half of the words, as described in `sort_by_halves`; `order` is that of a piece without
    repeats.

    A value may also equal one in the adjacent piece, so the positions next to a piece count too.
    """
    cdef int64_t waiting[2 * (2 * 64 + 64)]
    cdef int64_t low, high, i, j, place, depth = 1
    cdef uint64_t first, middle, last, pivot, word
    waiting[0] = 0
    waiting[1] = n - 1
    while depth:
        depth -= 1
        low = waiting[2 * depth]
        high = waiting[2 * depth + 1]
        while high - low >= LONG_PIECE and repeats[high + 2] != repeats[low]:
            first = words[low] >> 32
            middle = words[(low + high) // 2] >> 32
            last = words[high] >> 32
            pivot = max(min(first, middle), min(max(first, middle), last))
            i = low
            j = high
            swap_blocks(words, pivot, &i, &j)
            while i < j:
                while words[i] >> 32 < pivot:
                    i += 1
                while words[j] >> 32 > pivot:
                    j -= 1
                if i < j:
                    if words[i] >> 32 > words[j] >> 32:
                        word = words[i]
                        words[i] = words[j]
                        words[j] = word
                    i += 1
                    j -= 1
            while words[i] >> 32 >= pivot and i > low:
                i -= 1
            while words[j] >> 32 <= pivot and j < high:
                j += 1
            # the longer part waits, so that the stack stays short
            if i - low > high - j:
                waiting[2 * depth] = low
                waiting[2 * depth + 1] = i
                low = j
            else:
                waiting[2 * depth] = j
                waiting[2 * depth + 1] = high
                high = i
            depth += 1
        if repeats[high + 2] == repeats[low]:
            for place in range(low, high + 1):
                words[place] = order[place]
            continue
        for place in range(low + 1, high + 1):
            word = words[place]
            i = place
            while i > low and words[i - 1] >> 32 > word >> 32:
                words[i] = words[i - 1]
                i -= 1
            words[i] = word


cdef void swap_blocks(uint64_t* words, uint64_t pivot, int64_t* from_left, int64_t* from_right) noexcept nogil:
    """Do most of the swaps of one division block by block, because the branches are unpredictable.

    The words that stop a scan from the left are swapped with those that stop a scan from the right, in turn. The rest
    of the work begins at the returned positions.
    """
    cdef uint8_t left[SWAP_BLOCK]
    cdef uint8_t right[SWAP_BLOCK]
    cdef int64_t i = from_left[0], j = from_right[0], k, count, one, other
    cdef int64_t n_left = 0, n_right = 0, left_done = 0, right_done = 0, left_base = i, right_base = j
    cdef uint64_t least = pivot << 32, most = least | <uint64_t>0xffffffff, word
    while j - i + 1 >= 2 * SWAP_BLOCK:
        if left_done == n_left:
            left_base = i
            left_done = n_left = 0
            for k in range(SWAP_BLOCK):
                left[n_left] = <uint8_t>k
                n_left += words[i + k] >= least
            i += SWAP_BLOCK
        if right_done == n_right:
            right_base = j
            right_done = n_right = 0
            for k in range(SWAP_BLOCK):
                right[n_right] = <uint8_t>k
                n_right += words[j - k] <= most
            j -= SWAP_BLOCK
        count = min(n_left - left_done, n_right - right_done)
        for k in range(count):
            one = left_base + left[left_done + k]
            other = right_base - right[right_done + k]
            if words[one] >> 32 > words[other] >> 32:
                word = words[one]
                words[one] = words[other]
                words[other] = word
        left_done += count
        right_done += count
    from_left[0] = left_base + left[left_done] if left_done < n_left else i
    from_right[0] = right_base - right[right_done] if right_done < n_right else j


# ---- WEKA's sort ---------------------------------------------------------------------------------------------------


cdef inline void put_in_order(int64_t* rows, const double* values, int64_t left, int64_t right) noexcept nogil:
    cdef int64_t kept = rows[left]
    if values[kept] > values[rows[right]]:
        rows[left] = rows[right]
        rows[right] = kept


cdef inline void exchange(int64_t* rows, int64_t left, int64_t right) noexcept nogil:
    cdef int64_t kept = rows[left]
    rows[left] = rows[right]
    rows[right] = kept


cdef void sort_range(
    int64_t* rows,  # IN, OUT
    const double* values, int64_t left, int64_t right,  # IN
) noexcept nogil:
    """Sort rows[left..right] by ascending value; equal values are in the order of WEKA's quicksort.

    Quicksort, the pivot being the median of the first, the middle and the last; three or fewer are sorted by
    exchanges.
    """
    cdef int64_t low, high, middle
    cdef double pivot
    while right > left:
        if right - left == 1:
            put_in_order(rows, values, left, right)
            return
        if right - left == 2:
            put_in_order(rows, values, left, left + 1)
            put_in_order(rows, values, left, right)
            put_in_order(rows, values, left + 1, right)
            return
        middle = (left + right) // 2
        put_in_order(rows, values, left, middle)
        put_in_order(rows, values, left, right)
        put_in_order(rows, values, middle, right)
        exchange(rows, middle, right - 1)
        pivot = values[rows[right - 1]]
        low, high = left, right - 1
        while True:
            low += 1
            while values[rows[low]] < pivot:
                low += 1
            high -= 1
            while values[rows[high]] > pivot:
                high -= 1
            if low >= high:
                break
            exchange(rows, low, high)
        exchange(rows, low, right - 1)
        if low - left < right - low:  # recurse into the shorter side, so that the depth is at most log n
            sort_range(rows, values, left, low - 1)
            left = low + 1
        else:
            sort_range(rows, values, low + 1, right)
            right = low - 1


def sort_rows(int64_t[::1] rows, const double[::1] values):
    """Sort row numbers in place by their values, with ties in the order of WEKA's quicksort."""
    if len(rows):
        sort_range(&rows[0], &values[0], 0, len(rows) - 1)
