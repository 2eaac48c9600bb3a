"""One tree of a forest, grown from binned columns: the structures that its parts share."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from hornbeam.core.base.memory cimport hb_pool

cdef enum:
    BATCH = 8  # columns counted in one pass over a node's rows
    MOST_CODES = 256  # of a column whose codes are bytes
    NUMBER_WIDTH = 2  # sums for a numeric target: weight, and weight times number
    WORDS = 4  # of MOST_CODES bits
    FEW_ROWS = 512  # nodes with fewer rows visit only codes that occur
    MOST_PRODUCTS = 65536  # counts whose products with their logarithms are tabulated
    LANES = 4  # of a word: counts of this many classes are added at once
    LANE_BITS = 16
    LANE_MASK = 65535
    MOST_LABELS = 256  # maximum number of classes for which lanes are used
    MOST_PAIR_CUTS = 32  # cuts between two rows whose values are still to be read
    MOST_ORDERS = 8  # maximum number of classes by whose proportion categories are ordered

cdef enum:  # how growing ended
    DONE = 0
    NO_MEMORY = 1
    CANCELLED = 2


cdef enum:  # what a row counts for, and how its record stores it
    PAIRS = 0  # two classes: a count for each, one of which is zero, in one word
    CLASSES = 1  # a class, and a count
    PACKED = 2  # a number; and one word with the rounded number above a count
    WEIGHTS = 3  # a class or a number; and a weight

cdef enum:  # where a row goes
    NEAR = 2  # unknown until its value is read


cdef struct Job:  # what the trees of a forest share
    int64_t n_rows
    int32_t n_features
    uint8_t* codes  # row after row: words of bits, then bytes
    int64_t stride  # of the codes
    int32_t n_words  # of bits: a column of two codes takes one
    int32_t* place  # by feature: the position of its byte in a row's codes
    uint8_t* shift  # bit position of the code in this byte
    uint8_t* mask
    const int32_t* const* wide  # by feature; NULL if its codes fit in bytes
    const int32_t* n_bins
    const uint8_t* nominal
    const double* const* cuts  # by feature: the boundary between a bin and the next
    const double* const* values  # by feature, where bins hold several values; NULL otherwise
    int32_t n_classes  # 0: the target is a number
    int32_t width  # sums per bin: classes, or NUMBER_WIDTH
    const int32_t* labels
    const double* numbers  # minus their mean
    const double* weights  # NULL where every row counts once
    int count_bits  # bits of the count in a word that also holds a rounded number
    double scale  # factor from a number to the rounded number that is summed
    int32_t n_candidates  # columns with a split that a node chooses from
    int32_t n_pool  # columns that a tree may use
    bint random_cut  # one random cut per column instead of the best
    bint entropy
    bint bootstrap
    int64_t n_drawn
    double min_leaf
    double min_split
    int32_t max_depth
    int64_t max_leaves
    uint64_t seed
    const int64_t* product_of  # a count times its logarithm, in steps of PRODUCT_STEP; NULL where not needed
    int32_t most_codes  # of any column, that of a missing value included
    bint any_wide
    # Each tree has its own records: the codes of a row, then these fields.
    int kind
    int64_t size  # of a record
    int64_t origin  # the row's number
    int64_t label
    int64_t number
    int64_t weight  # two counts, a count, a packed word or a weight, depending on the kind


cdef struct FewRow:  # a row of a node with few rows
    int32_t label
    int32_t count
    uint64_t word  # the count in the lane of its class; or the count of its class in the node


cdef struct PairCut:  # between the values of two rows
    int32_t node
    const double* low
    const double* high


cdef struct Sides:  # sums of the two sides of a cut
    int64_t both  # sums of counts times their logarithms on both sides; or of squared counts, on the left alone
    int64_t products  # sum over classes: count on the left times count in the node
    int64_t n_left


cdef struct Found:  # the best split of a node
    double score
    int32_t feature  # -1: none
    int32_t cut  # the last bin of the first branch, of a numeric column
    int32_t low  # the nonempty bins on both sides of the cut
    int32_t high
    double threshold  # between two values in these bins, set when rows are divided; only if Job.values is given
    int32_t missing  # the branch of rows with a missing value
    int32_t n_codes  # categories of the first branch, in Room.best_codes


cdef struct Task:  # a node to be split
    int32_t node
    int32_t depth
    int32_t n_constant  # columns known to be constant in its rows; they are the first in Room.order
    int64_t begin
    int64_t end


cdef struct Waiting:  # a queued node whose split is known
    Task task
    Found found
    int32_t* codes


cdef struct Nodes:  # the output
    int64_t n
    int64_t room
    int32_t* feature
    int32_t* cut
    double* threshold
    int32_t* first_child
    int8_t* missing
    int64_t* set_stop  # where a nominal split's codes end
    float* weight
    float* value  # n x outputs
    float* gain
    double* sums  # n x width, of the rows' targets
    int64_t n_codes
    int64_t codes_room
    int32_t* codes


cdef struct Room:  # the work memory of one thread
    hb_pool record_pool  # memory of records and of arrays indexed by record
    hb_pool pool  # most of the memory below
    uint8_t* records  # those of a node are contiguous
    uint8_t* spare
    int64_t n_records  # capacity
    int32_t* counts  # how often each row was drawn
    int32_t* order  # columns; those to be drawn next come first
    void* histogram  # BATCH x MOST_CODES x width
    int64_t* packed_bins  # BATCH x MOST_CODES
    uint64_t* seen  # BATCH x WORDS: codes that occur
    uint64_t* varying  # bits that differ between a node's rows
    int32_t* ones  # BATCH x width: rows whose bit is set
    int32_t* bit_sums  # width x 2 x BATCH: of every other row, class by class
    void* two_bins  # 2 x width: the sums of a column that is a bit
    void* runs  # sums by code of a wide column, one after another
    uint64_t* keys  # codes of a wide column and positions in the node, sorted
    uint64_t* other_keys
    bint counted  # whether the node's rows are counted, and cuts are scored by integers
    int64_t n_counted
    int64_t whole  # sum of the counts of classes, squared or times their logarithms
    bint chained  # whether numeric columns of the node are searched by chains of rows
    FewRow few[FEW_ROWS]  # from 1 on
    int n_lanes  # classes that the node has; 0: too many for a word
    int64_t lane_total[LANES]
    uint64_t lane_sums[MOST_CODES]  # of the codes present
    uint64_t lane_bins[MOST_CODES]  # by code; 0 everywhere between two columns
    int32_t next_row[FEW_ROWS]  # of the same code; 0: none
    int32_t first_row[MOST_CODES]  # by code; 0 everywhere between two columns
    PairCut pair_cuts[MOST_PAIR_CUTS]
    int32_t n_pair_cuts
    double* left  # width
    double* right
    double* total
    int64_t* left_counts  # width: the same where rows are counted
    int64_t* right_counts
    double* moved  # of one row, or of those next to a cut
    int32_t* present  # codes that occur
    int32_t* places  # position of the sums of each
    double* key  # what categories are ordered by
    int32_t* trial_codes
    int32_t* trial
    int32_t* best_codes
    int32_t* near  # rows in the bins next to a cut, by value
    int32_t* near_spare
    double* near_value  # of these rows, in no order
    uint8_t side[MOST_CODES]  # the branch of every code
    uint8_t* wide_side  # of a nominal column with many codes: all 1 between two splits
    uint64_t random
    Nodes nodes
    Room* next  # linked list of idle rooms
