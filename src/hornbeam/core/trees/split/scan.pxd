"""Scan: find the best split of one column at one node (see scan.pyx)."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

# One row in a list: row number, its class, and two bits on whether its value differs from the previous entry's: at all,
# and (certainly) by more than min_gap. The narrow form is used as long as row and class fit.
ctypedef fused Entry:
    uint32_t
    uint64_t

cdef enum:
    STEPS = 3  # the two lowest bits of an entry
    BLOCK = 32  # entries skipped at a time if a bound shows that none can win
    BLOCKS_FROM = 1024  # rows below which the bound rarely skips anything

cdef enum ColumnKind:
    SORTED = 0  # numeric, stored as a list of entries by ascending value
    CODED = 1  # numeric or ordered with few distinct values: a code per row, codes by ascending value
    NOMINAL = 2  # categories: a code per row

cdef struct Column:
    int kind
    int n_codes  # CODED, NOMINAL
    int wide  # codes are int32, else uint8
    const void* codes  # by row; missing is n_codes
    const double* values  # SORTED: by row; CODED: by code
    const uint32_t* origin  # SORTED: the row in `values` of each renumbered row; NULL if not renumbered
    int many_valued  # does not count toward the average gain
    int position  # of its list among the node's lists; -1 if it has none
    int number  # among all columns
    const uint32_t* order  # CODED, row by row: all known rows in the order of summation; or NULL
    int64_t n_order

cdef struct Choices:  # the part of a recipe that growing uses
    int n_classes
    int label_bits
    int shift  # label_bits + 2: entry >> shift is the row
    int by_ratio  # rank by gain ratio, else by gain
    int average_filter  # only gains of at least the average may win
    int textbook_gain  # multiway: gain summed branch by branch, with the rounding of the formula
    int charge_cuts  # penalize the choice among cuts
    int adaptive_minimum  # numeric branches have a tenth of the mean class weight, within [min_branch, 25]
    int count_for_cut  # a cut also needs twice its minimum weight as a number of rows, whatever their weights
    int nominal  # how nominal columns are split (see enums.pxd)
    int any_criterion  # splits are searched by impurity (search.pyx), else by information (scan.pyx)
    int criterion  # see enums.pxd
    int n_stats  # statistics of rows: class weights; or weight, sum, sum of squares of a number
    int regression
    int plain_classes  # split by Gini's impurity, without options that the fast path does not support
    int plain_numbers  # split by the variance, without options that the fast path does not support
    int equal_low  # a value equal to a cut takes the lower branch
    int median  # nodes predict the median
    int missing  # missing route (see enums.pxd)
    int known_only  # gains are means over the rows with a known value
    int most_cuts  # of one split
    int greedy_cuts
    int boundary_points
    int exhaustive_up_to
    int classes_seen
    int rough_first  # row by row: every column is searched by the fast path first, then the best ones exactly
    int row_by_row  # sums and formulas exactly as defined, one row after another
    int count_rows  # limits of nodes, branches and surrogates are numbers of rows, whatever their weights
    int first_class  # the first class that occurs
    int combinations  # weighted sums of columns are tried too
    int order_by_target  # of two branches, the one with the lower mean (of class numbers) comes first
    int max_surrogates
    const double* loss  # true x predicted class; NULL: every error costs one
    const double* class_factor  # row by row: what a row of a class counts for
    const double* class_number  # for the mean of classes
    const double* inverse  # 1 / n for every number of rows; NULL if rows are weighted
    const int64_t* xlogx  # x log2 x of every number of rows, times its scale; NULL if no search needs it
    double xlogx_scale
    const int8_t* monotone  # by column; NULL: no limits
    const uint64_t* groups  # by column: the groups of columns it may interact with; NULL: no limits
    double target_scale  # standard deviation of the target at the root
    double min_impurity
    double min_error  # nodes with at most this loss are leaves
    double min_decrease  # minimum decrease by a split
    double log_significance  # maximum log p-value; 0: no test
    double log_merge  # grouped: categories with a log p-value above this are merged
    int first_category_free  # one-vs-rest: the first category is accepted whatever its ratio
    int max_depth  # -1: no limit
    int64_t zoom  # a node with at most one in this many of a problem's rows becomes a separate problem
    int64_t zoom_from  # rows below which the data are close together anyway
    double min_branch
    double min_node
    double min_gap
    double min_gain
    double tolerance

cdef struct Candidate:
    int verdict
    int n_cuts
    int code  # CODED: last code of the lower branch; ONE_VS_REST: the single category
    int n_branches
    int missing_branch  # the branch of missing values; -1: not a single branch
    int64_t position  # SORTED: entries in the lower branch
    double gain
    double decrease  # of impurity, in total
    bint rough  # scored by the fast path, correct up to rounding
    double low_weight  # row by row: the sums of the two sides; for a number, the low side's about the mean
    double high_weight
    double charge
    double split_information
    double score

cdef struct NodeView:
    int64_t n_rows
    double weight
    const double* counts  # class weights
    const double* row_weight  # by row; NULL if every row counts once
    bint exact  # entries store exactly how values differ
    bint only_splits  # the gain of a column that has no split does not matter
    const double* target  # by row, if it is a number
    const uint32_t* rank  # by row: rank of its target in the node
    const uint32_t* by_rank  # rows by ascending target
    const double* ranked  # their targets
    double lower  # limits of the predictions of its branches
    double upper

cdef struct Plan:  # what a split does, branch by branch
    int kind  # kind of split (see enums.pxd)
    int n_branches
    int missing_branch
    int n_places
    int64_t* places  # SORTED: entries before each cut; CODED: last code before each cut
    int32_t* code_branch  # by code; -1: the category does not occur

cdef struct Scratch:  # one thread's working memory
    int64_t* left_count  # by class, like all fields up to `table`
    int64_t* right_count
    int64_t* known_count
    double* left
    double* right
    double* inverse
    double* seen
    double* side_logs
    double* marks  # positions x classes
    double* table  # codes x classes
    double* bags
    double* weights  # of one list's rows
    uint32_t* count_table
    double* low  # statistics of rows, like all fields up to `missing`
    double* high
    double* kept
    double* all_rows
    double* parent_fractions
    double* missing
    double* bins  # bins x statistics
    double* keys  # by bin
    int32_t* bin_code
    int32_t* order
    int32_t* spare
    int32_t* group
    int64_t* places
    double* branches  # branches x statistics
    double* matrix  # statistics x statistics
    int64_t* starts
    int64_t* firsts
    uint32_t* members
    double* cutting  # for several cuts
    double* fenwick  # four trees over ranks

cdef struct Chunk:  # of a sorted list
    int64_t first  # entry of a row that has weight, if any
    int64_t last
    int64_t n_rows  # that have weight
    int64_t n_cuts  # between them
    double error  # weight that has left since the excesses were computed
    bint stale  # to be computed again

cdef struct Chunks:  # of one sorted list (see scan_chunks.pxi)
    int64_t size  # entries of each chunk but the last
    int64_t n_chunks
    int64_t n_entries
    int n_groups  # of rows, each with a factor
    int n_classes
    Chunk* chunks
    double* starts  # by chunk: value of the first entry
    double* sums  # chunks x groups x classes: weights without factors
    double* least  # chunks x classes: how far a class exceeds its share in the chunk's first rows
    double* most
    double* shares  # by class: of all rows, when the excesses were computed
    double* factors  # by group: at that time

cdef struct ChunkSums:
    double* classes  # chunks + 1 x classes: weights before each chunk
    double* weight  # chunks + 1
    double* error  # of the excesses, by chunk

cdef void sum_chunk(const Entry* entries, const Chunks* chunks, int64_t c, const Column* column,
                    const Choices* choices, const double* weight, const uint8_t* groups, double* at) noexcept nogil

cdef void scan_chunks(const Entry* entries, const Chunks* chunks, const Column* column, const Choices* choices,
                      const NodeView* node, const double* factors, const ChunkSums* sums, Scratch* scratch,
                      Candidate* best) noexcept nogil

cdef void scan_table(const Column* column, const Choices* choices, const NodeView* node,
                     Scratch* scratch, Candidate* best) noexcept nogil

cdef void scan_sorted(const Entry* entries, int64_t n_known, const Column* column, const Choices* choices,
                      const NodeView* node, const int64_t* xlogx, double scale, Scratch* scratch,
                      Candidate* best) noexcept nogil

cdef void scan_codes(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     const NodeView* node, Scratch* scratch, Candidate* best) noexcept nogil

# Count rows by code and class; `table` begins with `lowest_code`, has `cells` cells, and is followed by as many to work
# with.
cdef void count_rows(const Entry* rows, int64_t n, const void* codes, bint wide, int lowest_code, int label_bits,
                     uint32_t* table, int64_t cells) noexcept nogil

cdef void weigh_rows(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     int64_t n, double* table, int64_t cells) noexcept nogil

cdef inline int code_of(const Column* column, int64_t row) noexcept nogil:
    if column.wide:
        return (<const int32_t*>column.codes)[row]
    return (<const uint8_t*>column.codes)[row]


cdef inline double value_of(const Column* column, int64_t row) noexcept nogil:
    return column.values[row if column.origin == NULL else column.origin[row]]


cdef inline bint is_cut(const Entry* entries, int64_t i, const Column* column, const Choices* choices,
                        bint exact) noexcept nogil:
    """Whether a cut is possible between entries i-1 and i."""
    if entries[i] & 2:
        return True
    if exact or not entries[i] & 1:
        return False
    return (value_of(column, entries[i - 1] >> choices.shift) + choices.min_gap
            < value_of(column, entries[i] >> choices.shift))


cdef inline int64_t two_bits(const int64_t* xlogx, int64_t left0, int64_t left1, int64_t n,
                             int64_t ones) noexcept nogil:
    """The information that a cut leaves, for two classes."""
    cdef int64_t low = left0 + left1
    return (xlogx[low] + xlogx[n - low] - xlogx[left0] - xlogx[left1]
            - xlogx[ones - left1] - xlogx[n - ones - left0])


cdef inline int64_t least_bits(const int64_t* xlogx, int64_t left0, int64_t left1, int64_t more0, int64_t more1,
                               int64_t n, int64_t ones) noexcept nogil:
    """The least information that a cut inside a block may leave, if the class counts grow by `more`.

    The information left is concave in the counts, so its minimum over a range of counts is at a corner.
    """
    cdef int64_t least = two_bits(xlogx, left0, left1, n, ones), other
    other = two_bits(xlogx, left0 + more0, left1, n, ones)
    least = other if other < least else least
    other = two_bits(xlogx, left0, left1 + more1, n, ones)
    least = other if other < least else least
    other = two_bits(xlogx, left0 + more0, left1 + more1, n, ones)
    return other if other < least else least


cdef inline int cuts_in_block(const Entry* entries, int64_t i, const Column* column, const Choices* choices,
                              bint exact) noexcept nogil:
    """The number of cuts in a block of entries."""
    cdef int fresh = 0, close = 0
    cdef int64_t j
    for j in range(i, i + BLOCK):
        fresh += (entries[j] >> 1) & 1
        close += entries[j] & 1
    if close != fresh:
        fresh = 0
        for j in range(i, i + BLOCK):
            fresh += is_cut(entries, j, column, choices, exact)
    return fresh
