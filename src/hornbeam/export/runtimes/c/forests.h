
/* ---- forests ----

   A row walks down a tree node by node. Many rows at once do all tests of a small tree instead: the leaves, from left to
   right, are bits, a test that fails rules out the leaves of its first branch, and the lowest bit left is the leaf. */

#include <stdint.h>

enum { HB_IDENTITY, HB_LOGISTIC, HB_EXP, HB_SOFTMAX }; /* how sums become outputs */

typedef struct {
    int n_trees, link, is_mean;
    const hb_int *roots, *first_leaf; /* by tree and one more: its nodes, its leaves */
    const hb_int *column; /* by node; of a leaf: its number among the leaves of the forest */
    const double *cut;
    const hb_int *first; /* -1: a leaf */
    const unsigned char *missing; /* 1: a row without the value goes to the second branch */
    const hb_int *set; /* by node: where the bits of its categories begin; -1: a cut */
    const uint32_t *sets;
    const uint64_t *mask; /* by node: the leaves that stay if its test fails; 0 in trees with more than 64 leaves */
    const float *value; /* rows of `width` numbers, by leaf */
    int width;
    const hb_int *output; /* by tree: the first output that it adds to; null: 0 */
    const double *base, *unit; /* unit is null where sums begin with the base */
} hb_forest_data;

static inline int hb_second(const hb_forest_data *forest, int node, double value) {
    if (hb_missing(value)) return forest->missing[node];
    if (forest->set && forest->set[node] >= 0) {
        int code = (int)value;
        return !((forest->sets[forest->set[node] + code / 32] >> (code % 32)) & 1);
    }
    return value > forest->cut[node];
}

static inline int hb_leaf(const hb_forest_data *forest, int tree, const double *values) {
    int node = forest->roots[tree];
    while (forest->first[node] >= 0)
        node = forest->first[node] + hb_second(forest, node, values[forest->column[node]]);
    return forest->column[node];
}

static inline void hb_add_leaf(const hb_forest_data *forest, int tree, int leaf, double *sums) {
    const float *value = forest->value + (size_t)leaf * forest->width;
    if (forest->output) sums += forest->output[tree];
    for (int k = 0; k < forest->width; k++) sums[k] += value[k];
}

/* Two classes have one sum where it is logistic. */
static inline int hb_n_sums(const hb_forest_data *forest, int n) { return forest->link == HB_LOGISTIC ? 1 : n; }

static inline void hb_begin(const hb_forest_data *forest, int n, double *sums) {
    for (int k = 0; k < hb_n_sums(forest, n); k++) sums[k] = forest->unit ? 0.0 : forest->base[k];
}

/* Turn the sums into the n outputs. */
static inline int hb_linked(const hb_forest_data *forest, int n, double *sums) {
    int n_sums = hb_n_sums(forest, n);
    for (int k = 0; k < n_sums; k++) {
        if (forest->is_mean) sums[k] /= forest->n_trees;
        if (forest->unit) sums[k] = sums[k] * *forest->unit + forest->base[k];
    }
    if (forest->is_mean && n_sums > 1) {
        double total = 0.0;
        for (int k = 0; k < n; k++) total += sums[k];
        for (int k = 0; k < n; k++) sums[k] /= total;
    }
    if (forest->link == HB_LOGISTIC) {
        double small = exp(-fabs(sums[0]));
        double second = (sums[0] >= 0 ? 1 : small) / (1 + small);
        sums[0] = 1 - second;
        sums[1] = second;
    } else if (forest->link == HB_EXP) {
        for (int k = 0; k < n; k++) sums[k] = exp(sums[k]);
    } else if (forest->link == HB_SOFTMAX) {
        double most = sums[hb_greatest(sums, n, 0.0)], total = 0.0;
        for (int k = 0; k < n; k++) total += sums[k] = exp(sums[k] - most);
        for (int k = 0; k < n; k++) sums[k] /= total;
    }
    return hb_greatest(sums, n, 0.0);
}

static inline int hb_forest(const void *data, int n, const double *values, double *outputs) {
    const hb_forest_data *forest = (const hb_forest_data *)data;
    hb_begin(forest, n, outputs);
    for (int tree = 0; tree < forest->n_trees; tree++)
        hb_add_leaf(forest, tree, hb_leaf(forest, tree, values), outputs);
    return hb_linked(forest, n, outputs);
}

/* ---- many rows ---- */

static inline int hb_lowest(uint64_t bits) {
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int place = 0;
    while (!(bits & 1)) {
        bits >>= 1;
        place++;
    }
    return place;
#endif
}

/* On Linux with glibc, gcc compiles hb_tests twice, and the program takes the one with AVX2 if the processor has it,
   whatever the options of the compiler are. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__AVX2__)
#define HB_FOR_EVERY_PROCESSOR __attribute__((target_clones("avx2", "default")))
#define HB_INSIDE __attribute__((always_inline))
#else
#define HB_FOR_EVERY_PROCESSOR inline
#define HB_INSIDE
#endif

/* Do one test for all rows of a block: `column` has the values of its column. */
HB_INSIDE static inline void hb_test(const hb_forest_data *forest, int node, const double *column, uint64_t *bits) {
    const uint64_t mask = forest->mask[node];
    if (forest->set && forest->set[node] >= 0) {
        for (int j = 0; j < HB_BLOCK; j++)
            if (hb_second(forest, node, column[j])) bits[j] &= mask;
        return;
    }
    const double cut = forest->cut[node];
    if (forest->missing[node]) {
        for (int j = 0; j < HB_BLOCK; j++) bits[j] &= mask | -(uint64_t)(column[j] <= cut);
    } else {
        for (int j = 0; j < HB_BLOCK; j++) bits[j] &= mask | -(uint64_t)!(column[j] > cut);
    }
}

/* Do all tests of a tree for all rows of a block: the leaves that are left of each. */
HB_FOR_EVERY_PROCESSOR static void hb_tests(
    const hb_forest_data *forest, int tree, const double (*columns)[HB_BLOCK], uint64_t *bits) {
    for (int j = 0; j < HB_BLOCK; j++) bits[j] = ~(uint64_t)0;
    for (int node = forest->roots[tree]; node < forest->roots[tree + 1]; node++)
        if (forest->first[node] >= 0) hb_test(forest, node, columns[forest->column[node]], bits);
}

static inline void hb_forest_block(const hb_forest_data *forest, int n, const double *rows, int count, double *outputs) {
    double columns[HB_COLUMNS][HB_BLOCK], sums[HB_BLOCK][HB_OUTPUTS];
    uint64_t bits[HB_BLOCK];
    for (int j = 0; j < HB_BLOCK; j++) {
        const double *row = rows + (size_t)(j < count ? j : 0) * HB_COLUMNS;
        for (int c = 0; c < HB_COLUMNS; c++) columns[c][j] = row[c];
        hb_begin(forest, n, sums[j]);
    }
    for (int tree = 0; tree < forest->n_trees; tree++) {
        int first = forest->roots[tree], last = forest->roots[tree + 1];
        if (!forest->mask || (last - first > 1 && !forest->mask[first])) { /* a large tree */
            for (int j = 0; j < count; j++)
                hb_add_leaf(forest, tree, hb_leaf(forest, tree, rows + (size_t)j * HB_COLUMNS), sums[j]);
            continue;
        }
        hb_tests(forest, tree, (const double (*)[HB_BLOCK])columns, bits);
        for (int j = 0; j < count; j++)
            hb_add_leaf(forest, tree, forest->first_leaf[tree] + hb_lowest(bits[j]), sums[j]);
    }
    for (int j = 0; j < count; j++) {
        hb_linked(forest, n, sums[j]);
        memcpy(outputs + (size_t)j * n, sums[j], n * sizeof(double));
    }
}
