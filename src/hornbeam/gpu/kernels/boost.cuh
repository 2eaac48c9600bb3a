/* Boosting on the GPU: the memory of one tree, and the arithmetic of splits.

   Every formula is that of the kernels in core/forests/boost, operation for operation and in the same order; fused
   multiply-add is off. Sums of gradients are integers, so that atomic additions in any order give the same sums. */

typedef long long int64;
typedef unsigned long long uint64;
typedef unsigned int uint32;
typedef unsigned char uint8;

#define BINS 256      /* of a column */
#define SET_WORDS 4   /* a bit for each of them */
#define CHUNK 8192    /* rows whose exact gradients are summed separately */
#define TILE 4096     /* rows whose sides are counted together */
#define PARTS 4       /* of a tile, each divided by a warp */
#define INFINITE __longlong_as_double(0x7ff0000000000000LL)
#define AT_ONCE 32    /* leaves that are divided in a round */
#define PART_ROWS 1024  /* rows that a block sums at least */

struct Split {
    double gain;  /* in units; 0 or less: none */
    int64 first_sum;  /* of the first branch */
    uint64 codes[SET_WORDS];  /* categories of the first branch */
    int column, cut, missing, unused;
};

struct Node {
    int64 begin, n_rows;  /* its rows */
    int64 total;  /* the sum of their words */
    double low, high;  /* limits of its value, before shrinking */
    double gradient, curve;  /* exact sums over its rows */
    double value, gain;
    int depth, slot, buffer;  /* which of the two lists of rows */
    int number;  /* in the order in which the tree is numbered; -1: not part of the tree */
    int first_child;  /* where it lies in memory; -1: its rows have not been divided */
    int divided;  /* whether it is divided in the tree */
    Split split;
};

struct Column {
    int n_codes;  /* of known values; n_codes itself represents a missing value */
    int has_missing, nominal, monotone;
};

struct Job {  /* written by the host before the first tree */
    int64 n_rows, n_chunks;
    double l1, l2, min_gain, min_weight, min_curve, nominal_smoothing, category_charge, shrink;
    int64 max_leaves;
    int n_columns, stride;  /* bytes of a row's record */
    int max_depth, curved, limited, loss;
};

struct Pair {  /* two children, or the root alone, whose best splits are searched */
    int node;  /* that is divided; -1: none */
    int small, large;  /* nodes whose sums are needed; -1: none */
    int wanted[2];  /* whether the smaller, the larger are searched */
    int subtract;  /* whether the larger child's sums are the parent's minus the smaller child's */
    int unsure[2];  /* whether the best split must be checked by counting rows */
    int64 first_tile, end_tile;  /* of the rows of `node` */
    int64 first_part;  /* of the rows of `small` */
};

struct State {  /* of one tree */
    int64 n_used, n_stored, n_numbered, n_leaves, n_chunks, n_tiles, n_parts;
    double gradient_unit, curve_unit, own_l1, own_l2, own_smoothing, own_charge, own_gain, floor, least, sure;
    double most_gradient, most_curve, sum;  /* for the check that gradients are finite */
    uint64 total;
    uint32 most_bits[2];  /* the largest gradient and curve, as the bits of floats */
    uint32 least_word, most_word;  /* curves of rows, rounded */
    int in_order, n_slots, first_new_slot, n_open, failed;
    int n_pairs;  /* of the current round; 0: the tree is complete */
    int n_unsure;
    uint32 ticket;  /* blocks of the current kernel that are done */
    Pair pairs[AT_ONCE];
};

/* whether this is the last block of a kernel to get here; it sees what the others have written (by __ldcg) */
__device__ __forceinline__ int is_last(State* state, uint32 n_blocks) {
    __shared__ int last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&state->ticket, 1u) == n_blocks - 1;
        if (last) state->ticket = 0;
        __threadfence();
    }
    __syncthreads();
    return last;
}

__device__ __forceinline__ int64 gradient_of(int64 word) { return word >> 32; }
__device__ __forceinline__ int64 curve_of(int64 word) { return (int64)(uint32)word; }

/* ---- exp in plain arithmetic, as in core/base/exp.h ---- */

__device__ __forceinline__ double plain_exp(double x) {
    const double shift = 6755399441055744.0;
    double whole = x * 1.4426950408889634 + shift;
    int64 exponent = __double_as_longlong(whole) - 0x4338000000000000LL;
    whole -= shift;
    double r = (x - whole * 0.6931471803691238) - whole * 1.9082149292705877e-10;
    exponent = exponent > 100 ? 100 : exponent;
    exponent = exponent < -1022 ? -1022 : exponent;
    double scale = __longlong_as_double((exponent + 1023) << 52);
    double sum = 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    return (sum * r + 1.0) * scale;
}

/* ---- the worth of splits ---- */

__device__ __forceinline__ double shrunk(double gradient, double l1) {
    if (gradient > l1) return gradient - l1;
    if (gradient < -l1) return gradient + l1;
    return 0.0;
}

__device__ __forceinline__ double worth(double gradient, double curve, double l1, double penalty) {
    double pull = shrunk(gradient, l1);
    return pull * pull / (curve + penalty);
}

__device__ __forceinline__ double best_value(double gradient, double curve, double l1, double penalty, double low,
                                             double high) {
    double value = -shrunk(gradient, l1) / (curve + penalty);
    value = value < low ? low : value;
    return value > high ? high : value;
}

__device__ __forceinline__ double worth_of(double value, double gradient, double curve, double l1, double penalty) {
    return -(2.0 * gradient * value + (curve + penalty) * value * value + 2.0 * l1 * fabs(value));
}

__device__ __forceinline__ double worth_of_node(const Job* job, const State* state, const Node* node) {
    double gradient = (double)gradient_of(node->total), curve = (double)curve_of(node->total);
    double unit = state->gradient_unit / state->curve_unit;
    if (!job->limited) return worth(gradient, curve, state->own_l1, state->own_l2);
    return worth_of(best_value(gradient, curve, state->own_l1, state->own_l2, node->low / unit, node->high / unit),
                    gradient, curve, state->own_l1, state->own_l2);
}

/* twice the reduction of the loss by a split; minus infinity if it violates a limit; `first`: words of a branch */
__device__ __forceinline__ double worth_of_cut(const Job* job, const State* state, const Node* node, int64 first,
                                               int monotone) {
    double g = (double)gradient_of(first), h = (double)curve_of(first);
    double rest_g = (double)gradient_of(node->total) - g, rest_h = (double)curve_of(node->total) - h;
    double l1 = state->own_l1, l2 = state->own_l2;
    if (!job->limited) return worth(g, h, l1, l2) + worth(rest_g, rest_h, l1, l2);
    double unit = state->gradient_unit / state->curve_unit;
    double one = best_value(g, h, l1, l2, node->low / unit, node->high / unit);
    double other = best_value(rest_g, rest_h, l1, l2, node->low / unit, node->high / unit);
    if ((other - one) * monotone < 0.0) return -INFINITE;
    return worth_of(one, g, h, l1, l2) + worth_of(other, rest_g, rest_h, l1, l2);
}

/* whether both branches have the minimum curve and may have the minimum weight; `count`: rows, or -1 if not counted */
__device__ __forceinline__ int heavy_enough(const Job* job, const State* state, const Node* node, int64 first,
                                            double count) {
    double h = (double)curve_of(first), rest = (double)curve_of(node->total) - h;
    if (h < state->floor || rest < state->floor) return 0;
    if (count >= 0.0) return count >= job->min_weight && (double)node->n_rows - count >= job->min_weight;
    return h >= state->least && rest >= state->least;
}

__device__ __forceinline__ int side_of(const Column* column, const Split* split, int code) {
    if (code == column->n_codes) return split->missing;
    if (column->nominal) return !((split->codes[code >> 6] >> (code & 63)) & 1);
    return code > split->cut;
}
