
/* ---- trees ---- */

enum { HB_CUTS, HB_CODES, HB_CODE_SETS, HB_SUMS }; /* kinds of splits */
#define HB_FRACTIONAL (-1) /* a row without the value goes down every branch in fractions */

typedef struct {
    hb_int kind, column, start, stop; /* its cuts, or its codes */
    hb_int sides; /* bit 0: a value equal to a cut goes below it; bit 1: branches are numbered from above */
    hb_int other; /* the branch of codes that are not listed */
    hb_int first_term, last_term; /* of a weighted sum of columns */
} hb_split;
typedef struct {
    const hb_split *splits;
    const double *cuts;
    const hb_int *codes, *to; /* branches by code; or codes, and the branch of each */
    const hb_int *term_columns;
    const double *terms;
    const hb_int *first, *children, *split, *missing; /* by node */
    const double *share; /* the fraction of rows without a value; null where no row is divided */
    const hb_int *surrogate_start, *surrogates;
    const hb_int *row; /* the row of `value` that a node predicts with */
    const double *value;
    const hb_int *label; /* null where numbers are predicted */
    const hb_int *equation; /* null where nodes have none */
    const hb_algebra *algebra;
} hb_tree_data;

/* The branch of a row, or -1 where the value is missing. */
static inline int hb_branch_of(const hb_tree_data *tree, const hb_split *split, const double *values) {
    double value;
    if (split->kind == HB_SUMS) {
        value = 0.0;
        for (int i = split->first_term; i < split->last_term; i++)
            value += tree->terms[i] * values[tree->term_columns[i]];
    } else {
        value = values[split->column];
    }
    if (hb_missing(value)) return -1;
    if (split->kind == HB_CODES) return value < split->stop - split->start ? tree->to[split->start + (int)value] : -1;
    if (split->kind == HB_CODE_SETS) {
        for (int i = split->start; i < split->stop; i++)
            if (tree->codes[i] == (int)value) return tree->to[i];
        return split->other;
    }
    int interval = 0, n = split->stop - split->start;
    const double *cuts = tree->cuts + split->start;
    while (interval < n && (value > cuts[interval] || (value == cuts[interval] && !(split->sides & 1)))) interval++;
    return split->sides >> 1 ? n - interval : interval;
}

static inline int hb_next(const hb_tree_data *tree, int node, const double *values) {
    int branch = hb_branch_of(tree, tree->splits + tree->split[node], values);
    if (branch < 0 && tree->surrogates)
        for (int i = tree->surrogate_start[node]; i < tree->surrogate_start[node + 1] && branch < 0; i++)
            branch = hb_branch_of(tree, tree->splits + tree->surrogates[i], values);
    return branch < 0 ? tree->missing[node] : branch;
}

static inline double hb_leaf_number(const hb_tree_data *tree, int node, const double *values) {
    if (!tree->equation) return tree->value[tree->row[node]];
    double value = hb_compute(tree->algebra, tree->equation[node], values);
    return isfinite(value) ? value : tree->value[tree->row[node]];
}

/* The combined prediction of the nodes where a row ends. */
typedef struct {
    double sums[HB_OUTPUTS], total;
    int ends, first;
    double first_weight;
} hb_ends;

static inline void hb_end(const hb_tree_data *tree, int n, const double *values, int node, double weight, hb_ends *at) {
    if (!at->ends++) {
        at->first = node;
        at->first_weight = weight;
    }
    at->total += weight;
    if (tree->equation) {
        at->sums[0] += weight * hb_leaf_number(tree, node, values);
        return;
    }
    const double *value = tree->value + (size_t)tree->row[node] * n;
    for (int k = 0; k < n; k++) at->sums[k] += weight * value[k];
}

static inline int hb_at(const hb_tree_data *tree, int n, const double *values, int node, double *outputs) {
    if (tree->equation) {
        outputs[0] = hb_leaf_number(tree, node, values);
        return -1;
    }
    memcpy(outputs, tree->value + (size_t)tree->row[node] * n, n * sizeof(double));
    return tree->label ? tree->label[node] : -1;
}

static inline int hb_tree(const void *data, int n, const double *values, double *outputs) {
    const hb_tree_data *tree = (const hb_tree_data *)data;
    int node = 0, branch = 0;
    while (tree->first[node] >= 0 && (branch = hb_next(tree, node, values)) >= 0) node = tree->first[node] + branch;
    if (tree->first[node] < 0 || branch != HB_FRACTIONAL) return hb_at(tree, n, values, node, outputs);
    hb_int pending[HB_PENDING];
    double weights[HB_PENDING];
    int waiting = 1;
    hb_ends at = {{0}, 0, 0, 0, 0};
    pending[0] = (hb_int)node;
    weights[0] = 1.0;
    while (waiting) {
        double weight = weights[--waiting];
        int is_end = 1;
        node = pending[waiting];
        branch = 0;
        while (tree->first[node] >= 0 && (branch = hb_next(tree, node, values)) >= 0) node = tree->first[node] + branch;
        if (tree->first[node] >= 0 && branch == HB_FRACTIONAL)
            for (int child = tree->first[node] + tree->children[node] - 1; child >= tree->first[node]; child--)
                if (tree->share[child] > HB_LEAST_SHARE) {
                    pending[waiting] = (hb_int)child;
                    weights[waiting++] = weight * tree->share[child];
                    is_end = 0;
                }
        if (is_end) hb_end(tree, n, values, node, weight, &at);
    }
    if (tree->equation) {
        outputs[0] = at.ends == 1 && at.first_weight == 1 ? hb_leaf_number(tree, at.first, values) : at.sums[0];
        return -1;
    }
    if (at.ends == 1) return hb_at(tree, n, values, at.first, outputs);
    if (!(at.total > 0)) {
        hb_at(tree, n, values, 0, outputs);
    } else {
        for (int k = 0; k < n; k++) outputs[k] = at.sums[k] / at.total;
    }
    return hb_greatest(outputs, n, HB_TIE);
}
