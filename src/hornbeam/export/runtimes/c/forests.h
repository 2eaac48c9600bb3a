
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
#define HB_ALL_CUTS ((hb_count)(((uint32_t)1 << (HB_CODE_BITS - 1)) - 1)) /* the greatest hb_count */
#define HB_NO_CUTS (-1 - HB_ALL_CUTS) /* the lowest */
#define HB_GROUP 16 /* cuts that are compared with a value at once */

typedef struct {
    hb_int cut; /* its number among the cuts of its column */
    hb_int first, second; /* the first leaf below each branch, counted from the left */
    hb_int slot; /* of its values; for a test of categories, -1 - its node */
} hb_test;

typedef struct { /* of a column in blocks of rows */
    hb_int column, start, n, n_marks; /* its cuts; and the last of every group of them */
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
    const double *cuts; /* of every column, in increasing order, and the last of every group of cuts */
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

/* On Linux with glibc, gcc compiles hb_forest_block twice, and the program takes the one with AVX2 if the processor has
   it, whatever the options of the compiler are. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__AVX2__)
#define HB_FOR_EVERY_PROCESSOR __attribute__((target_clones("avx2", "default")))
#define HB_INSIDE __attribute__((always_inline))
#else
#define HB_FOR_EVERY_PROCESSOR inline
#define HB_INSIDE
#endif
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define HB_RESTRICT restrict
#else
#define HB_RESTRICT
#endif
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Vectors of the compiler; several at a time stay in registers. Other compilers get loops. */
#if defined(__AVX512BW__)
#define HB_VECTOR 64 /* bytes */
#else
#define HB_VECTOR 32
#endif
#define HB_LANES (8 * HB_VECTOR / HB_CODE_BITS)
#if defined(__GNUC__) && HB_BLOCK % (4 * HB_LANES) == 0
#define HB_ABREAST (4 * HB_LANES) /* rows */
typedef hb_count hb_counts __attribute__((vector_size(HB_VECTOR), aligned(sizeof(hb_count)), may_alias));
#define HB_LOAD(i) hb_counts row_##i = rows[i];
#define HB_TEST(i) row_##i += (row_##i == first) & (code[i] > cut) & step;
#define HB_STORE(i) rows[i] = row_##i;
#define HB_EACH(DO) DO(0) DO(1) DO(2) DO(3)
#else
#define HB_ABREAST HB_BLOCK
#endif

/* Do some tests of numbers for some rows of a block: move the rows that are at the first leaf below the node of a test
   and have a greater value. */
HB_INSIDE static inline void hb_cuts(
    const hb_test *test, const hb_test *stop, const hb_count (*HB_RESTRICT codes)[HB_BLOCK], int start,
    hb_count *HB_RESTRICT leaves) {
#if defined(HB_EACH)
    hb_counts *rows = (hb_counts *)(leaves + start);
    HB_EACH(HB_LOAD)
    for (; test < stop; test++) {
        const hb_counts *code = (const hb_counts *)(codes[test->slot] + start), none = {0};
        const hb_counts first = none + (hb_count)test->first, cut = none + (hb_count)(test->cut + HB_NO_CUTS);
        const hb_counts step = none + (hb_count)(test->second - test->first);
        HB_EACH(HB_TEST)
    }
    HB_EACH(HB_STORE)
#else
    for (; test < stop; test++) {
        const hb_count first = (hb_count)test->first, cut = (hb_count)(test->cut + HB_NO_CUTS);
        const hb_count second = (hb_count)test->second, *HB_RESTRICT code = codes[test->slot] + start;
        for (int j = 0; j < HB_BLOCK; j++) leaves[j] = ((leaves[j] == first) & (code[j] > cut)) ? second : leaves[j];
    }
#endif
}

/* Do all tests of a tree for all rows of a block: the leaf of each. */
HB_INSIDE static inline void hb_tests(
    const hb_forest_data *forest, int tree, const double *rows, int count, const hb_count (*codes)[HB_BLOCK],
    hb_count *leaves) {
    const hb_test *test = forest->tests + forest->first_test[tree];
    const hb_test *stop = forest->tests + forest->first_test[tree + 1];
    memset(leaves, 0, HB_BLOCK * sizeof(hb_count));
    while (test < stop) {
        const hb_test *next = test;
        while (next < stop && next->slot >= 0) next++;
        for (int start = 0; start < HB_BLOCK; start += HB_ABREAST) hb_cuts(test, next, codes, start, leaves);
        for (test = next; test < stop && test->slot < 0; test++) { /* categories */
            const int node = -1 - test->slot;
            const double *values = rows + forest->column[node];
            for (int j = 0; j < count; j++)
                if (leaves[j] == test->first && hb_second(forest, node, values[(size_t)j * HB_COLUMNS]))
                    leaves[j] = (hb_count)test->second;
        }
    }
}

/* Count the cuts of a group below a value. */
HB_INSIDE static inline int hb_below(const double *cuts, double value) {
#if defined(__GNUC__)
    typedef double reals __attribute__((vector_size(32), aligned(sizeof(double)), may_alias));
    typedef int64_t hits __attribute__((vector_size(32)));
    const reals *some = (const reals *)cuts, all = value - (reals){0};
    const hits found = (hits)(some[0] < all) + (some[1] < all) + (some[2] < all) + (some[3] < all);
    return (int)-(found[0] + found[1] + found[2] + found[3]);
#else
    int below = 0;
    for (int i = 0; i < HB_GROUP; i++) below += cuts[i] < value;
    return below;
#endif
}

/* The same for all cuts of a column. Many cuts are in groups of HB_GROUP; the last cuts of the groups are in groups too,
   which are searched by halves. */
HB_INSIDE static inline int hb_below_in_column(const hb_forest_data *forest, const hb_slot *slot, double value) {
    const double *cuts = forest->cuts + slot->start, *marks = cuts + slot->n;
    int group = 0;
    if (slot->n < HB_GROUP) {
        for (int i = 0; i < slot->n; i++) group += cuts[i] < value;
        return group;
    }
    for (int n = slot->n_marks / HB_GROUP, half; n > 1; n -= half) {
        half = n / 2;
        group += HB_GROUP * half & -(marks[group + HB_GROUP * half - 1] < value);
    }
    group += hb_below(marks + group, value);
    return HB_GROUP * group + hb_below(cuts + HB_GROUP * group, value);
}

/* Replace the values of a column by the number of cuts below each. */
HB_INSIDE static inline void hb_count_cuts(
    const hb_forest_data *forest, const hb_slot *slot, const double *rows, int count, hb_count (*codes)[HB_BLOCK]) {
    for (int j = 0; j < HB_BLOCK; j++) {
        const double value = rows[(size_t)(j < count ? j : 0) * HB_COLUMNS + slot->column];
        const hb_count code = (hb_count)(hb_below_in_column(forest, slot, value) + HB_NO_CUTS);
        if (slot->low >= 0) codes[slot->low][j] = code;
        if (slot->high >= 0) codes[slot->high][j] = hb_missing(value) ? HB_ALL_CUTS : code;
    }
}

/* Add the value of each row's leaf in one tree to a sum of each row. */
HB_INSIDE static inline void hb_add_values(const float *value, int n_leaves, const hb_count *leaves, double *sums) {
#if defined(__AVX512F__) && HB_CODE_BITS == 8
    if (n_leaves <= 32) {
        const __m512 low = _mm512_loadu_ps(value), high = _mm512_loadu_ps(value + 16);
        for (int j = 0; j < HB_BLOCK; j += 16) {
            const __m512i leaf = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(leaves + j)));
            const __m512d found = _mm512_castps_pd(_mm512_permutex2var_ps(low, leaf, high));
            const __m512d first = _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_castpd512_pd256(found)));
            const __m512d second = _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(found, 1)));
            _mm512_storeu_pd(sums + j, _mm512_add_pd(_mm512_loadu_pd(sums + j), first));
            _mm512_storeu_pd(sums + j + 8, _mm512_add_pd(_mm512_loadu_pd(sums + j + 8), second));
        }
        return;
    }
#endif
    (void)n_leaves;
    for (int j = 0; j < HB_BLOCK; j++) sums[j] += value[leaves[j]];
}

HB_FOR_EVERY_PROCESSOR static void hb_forest_block(
    const hb_forest_data *forest, int n, const double *rows, int count, double *outputs) {
    hb_count codes[HB_SLOTS][HB_BLOCK], leaves[HB_BLOCK];
    double sums[HB_OUTPUTS][HB_BLOCK], row[HB_OUTPUTS];
    const int n_sums = hb_n_sums(forest, n), width = forest->width;
    memset(codes, 0, sizeof codes);
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
            hb_add_values(value, forest->first_leaf[tree + 1] - forest->first_leaf[tree], leaves, *own);
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
