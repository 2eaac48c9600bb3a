
/* ---- forests ----

   A row walks down a tree node by node. Many rows at once do all tests of a small tree instead, from the root on: a row
   is at the first leaf below its node, and a test that fails moves it to the first leaf below the second branch. Each
   value is first replaced by the number of cuts of its column below it, so that a test compares small integers. */

#include <stdint.h>

enum { HB_IDENTITY, HB_LOGISTIC, HB_EXP, HB_SOFTMAX }; /* how sums become outputs */

/* The smallest integers that can count the cuts of a column. */
#if HB_CODE_BITS == 8
typedef int8_t hb_count;
#elif HB_CODE_BITS == 16
typedef int16_t hb_count;
#else
typedef int32_t hb_count;
#endif
#define HB_NO_CUTS (-1 - (hb_count)(((uint32_t)1 << (HB_CODE_BITS - 1)) - 1)) /* the lowest hb_count */

typedef struct {
    hb_int cut; /* its number among the cuts of its column */
    hb_int first, second; /* the first leaf below each branch, counted from the left */
    hb_int slot; /* of its values; for a test of categories, -1 - its node */
} hb_test;

typedef struct { /* of a column in blocks of rows */
    hb_int column, start, stop; /* its cuts */
    hb_int high, low; /* where its values go if missing values are above all cuts, if they are below; -1: nowhere */
} hb_slot;

typedef struct {
    int n_trees, link, is_mean;
    const hb_int *roots, *first_leaf; /* by tree and one more: its nodes, its leaves */
    const hb_int *column; /* by node; of a leaf: its number among the leaves of the forest */
    const double *cut;
    const hb_int *first; /* -1: a leaf */
    const unsigned char *missing; /* 1: a row without the value goes to the second branch */
    const hb_int *set; /* by node: where the bits of its categories begin; -1: a cut */
    const uint32_t *sets;
    const hb_test *tests; /* of the trees with few leaves */
    const hb_int *first_test; /* by tree and one more */
    int n_slots;
    const hb_slot *slots;
    const double *all_cuts; /* by column, in increasing order */
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

/* On Linux with glibc, gcc compiles hb_tests twice, and the program takes the one with AVX2 if the processor has it,
   whatever the options of the compiler are. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__AVX2__)
#define HB_FOR_EVERY_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define HB_FOR_EVERY_PROCESSOR inline
#endif
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define HB_RESTRICT restrict
#else
#define HB_RESTRICT
#endif

/* Do all tests of a tree for all rows of a block: the leaf of each. */
HB_FOR_EVERY_PROCESSOR static void hb_tests(
    const hb_forest_data *forest, int tree, const double *rows, int count, const hb_count (*HB_RESTRICT codes)[HB_BLOCK],
    hb_count *HB_RESTRICT leaf) {
    for (int j = 0; j < HB_BLOCK; j++) leaf[j] = 0;
    for (int i = forest->first_test[tree]; i < forest->first_test[tree + 1]; i++) {
        const hb_test *test = forest->tests + i;
        const hb_count cut = (hb_count)(test->cut + HB_NO_CUTS), first = (hb_count)test->first, second = (hb_count)test->second;
        if (test->slot >= 0) {
            const hb_count *HB_RESTRICT code = codes[test->slot];
            for (int j = 0; j < HB_BLOCK; j++) leaf[j] = (leaf[j] == first) & (code[j] > cut) ? second : leaf[j];
        } else {
            const int node = -1 - test->slot;
            const double *values = rows + forest->column[node];
            for (int j = 0; j < count; j++, values += HB_COLUMNS)
                if (leaf[j] == first && hb_second(forest, node, *values)) leaf[j] = second;
        }
    }
}

/* Count the cuts of a column below each value. */
static inline void hb_count_cuts(
    const hb_forest_data *forest, const hb_slot *slot, const double *rows, int count, hb_count (*codes)[HB_BLOCK]) {
    for (int j = 0; j < HB_BLOCK; j++) {
        const double value = rows[(size_t)(j < count ? j : 0) * HB_COLUMNS + slot->column];
        const double *start = forest->all_cuts + slot->start, *cuts = start;
        for (int n = slot->stop - slot->start, half; n > 0; n -= half) {
            half = (n + 1) / 2;
            cuts += half & -(cuts[half - 1] < value);
        }
        const int below = (int)(cuts - start) + HB_NO_CUTS;
        if (slot->low >= 0) codes[slot->low][j] = (hb_count)below;
        if (slot->high >= 0) codes[slot->high][j] = (hb_count)(hb_missing(value) ? slot->stop - slot->start + HB_NO_CUTS : below);
    }
}

static inline void hb_forest_block(const hb_forest_data *forest, int n, const double *rows, int count, double *outputs) {
    hb_count codes[HB_SLOTS][HB_BLOCK], leaves[HB_BLOCK];
    double sums[HB_OUTPUTS][HB_BLOCK], row[HB_OUTPUTS];
    const int n_sums = hb_n_sums(forest, n), width = forest->width;
    for (int i = 0; i < forest->n_slots; i++) hb_count_cuts(forest, forest->slots + i, rows, count, codes);
    hb_begin(forest, n, row);
    for (int k = 0; k < n_sums; k++)
        for (int j = 0; j < HB_BLOCK; j++) sums[k][j] = row[k];
    for (int tree = 0; tree < forest->n_trees; tree++) {
        const float *value = forest->value + (size_t)forest->first_leaf[tree] * width;
        double(*own)[HB_BLOCK] = sums + (forest->output ? forest->output[tree] : 0);
        if (forest->first_test[tree] == forest->first_test[tree + 1] && forest->first[forest->roots[tree]] >= 0) {
            for (int j = 0; j < count; j++) { /* a large tree */
                const int leaf = hb_leaf(forest, tree, rows + (size_t)j * HB_COLUMNS);
                for (int k = 0; k < width; k++) own[k][j] += forest->value[(size_t)leaf * width + k];
            }
            continue;
        }
        hb_tests(forest, tree, rows, count, (const hb_count(*)[HB_BLOCK])codes, leaves);
        if (width == 1) {
            for (int j = 0; j < HB_BLOCK; j++) (*own)[j] += value[leaves[j]];
        } else {
            for (int j = 0; j < HB_BLOCK; j++)
                for (int k = 0; k < width; k++) own[k][j] += value[leaves[j] * width + k];
        }
    }
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < n_sums; k++) row[k] = sums[k][j];
        hb_linked(forest, n, row);
        memcpy(outputs + (size_t)j * n, row, n * sizeof(double));
    }
}
