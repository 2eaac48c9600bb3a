"""Scan: find the best split of one column at one node (see scan.pyx)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

# One row in a list: row number, its class, and two bits on how its value differs from that of the entry before it: at
# all, and (certainly) by more than min_gap. The narrow form serves as long as row and class fit.
ctypedef fused Entry:
    uint32_t
    uint64_t

cdef enum:
    STEPS = 3  # the two lowest bits of an entry

cdef enum ColumnKind:
    SORTED = 0  # numeric, held as a list of entries by rising value
    CODED = 1  # numeric or ordered with few distinct values: a code a row, codes by rising value
    NOMINAL = 2  # categories: a code a row

cdef enum NominalSplit:
    MULTIWAY = 0
    ONE_VS_REST = 1

cdef enum Verdict:  # as in model/trace.py
    NO_SPLIT = 0
    NO_GAIN = 1
    BELOW_AVERAGE = 2
    OUTSCORED = 3
    CHOSEN = 4

cdef struct Column:
    int kind
    int n_codes  # CODED, NOMINAL
    int wide  # codes are int32, else uint8
    const void* codes  # by row; missing is n_codes
    const double* values  # SORTED: by row; CODED: by code
    const uint32_t* origin  # SORTED: the row of `values` that a row here was; NULL where the same
    int many_valued  # does not count towards the average gain
    int position  # of its list among the node's lists; -1 where it has none

cdef struct Choices:  # the part of a recipe that growing reads
    int n_classes
    int label_bits
    int shift  # label_bits + 2: entry >> shift is the row
    int by_ratio  # rank by gain ratio, else by gain
    int average_filter  # only gains of at least the average may win
    int textbook_gain  # multiway: gain summed branch by branch, rounding as the formula does
    int charge_cuts  # charge the choice among cuts
    int adaptive_minimum  # numeric branches hold a tenth of the mean class weight, within [min_branch, 25]
    int nominal  # NominalSplit
    int first_category_free  # one-vs-rest: the first category is taken whatever its ratio
    int max_depth  # -1: no limit
    int64_t zoom  # a node with no more than one in so many of a problem's rows becomes a problem of its own
    int64_t zoom_from  # rows below which everything lies close together anyway
    double min_branch
    double min_node
    double min_gap
    double min_gain
    double tolerance

cdef struct Candidate:
    int verdict
    int n_cuts
    int code  # CODED: last code of the lower branch; ONE_VS_REST: the category apart
    int64_t position  # SORTED: entries in the lower branch
    double gain
    double charge
    double split_information
    double score

cdef struct NodeView:
    int64_t n_rows
    double weight
    const double* counts  # class weights
    const double* row_weight  # by row; NULL where every row counts once
    bint exact  # entries say exactly how values differ

cdef struct Scratch:  # one thread's working memory
    int64_t* left_count  # by class, as are all up to `table`
    int64_t* right_count
    double* left
    double* right
    double* inverse
    double* seen
    double* side_logs
    double* table  # codes x classes
    double* bags
    double* weights  # of one list's rows
    uint32_t* count_table

cdef void scan_sorted(const Entry* entries, int64_t n_known, const Column* column, const Choices* choices,
                      const NodeView* node, const int64_t* xlogx, double scale, Scratch* scratch,
                      Candidate* best) noexcept nogil

cdef void scan_codes(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     const NodeView* node, Scratch* scratch, Candidate* best) noexcept nogil

cdef inline int code_of(const Column* column, int64_t row) noexcept nogil:
    if column.wide:
        return (<const int32_t*>column.codes)[row]
    return (<const uint8_t*>column.codes)[row]


cdef inline double value_of(const Column* column, int64_t row) noexcept nogil:
    return column.values[row if column.origin == NULL else column.origin[row]]
