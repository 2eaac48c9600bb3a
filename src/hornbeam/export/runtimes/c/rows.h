
/* ---- models that keep rows: distances and neighbors ---- */

enum { HB_NUMBER, HB_OVERLAP, HB_TABLE }; /* kinds of columns */
enum { HB_FARTHEST, HB_IGNORE, HB_AVERAGE }; /* the distance of a missing value to others */
enum { HB_UNIFORM, HB_INVERSE, HB_LINEAR }; /* the weight of a neighbor */

typedef struct {
    hb_int column, kind, codes; /* a missing category is the code after the last one */
    hb_int knot, knots; /* ranks by interpolation, where there are knots */
    int table;
    double expected, center, width, least, greatest;
} hb_measured;
typedef struct {
    const hb_measured *columns;
    const double *knots, *ranks, *tables, *weights;
    int n_columns, missing, squared, mean, rooted, all_tied;
    const double *kept; /* columns x rows, on the scale of the distance */
    const double *target, *row_weights; /* row_weights is null where all are 1 */
    int n_rows, wanted, weighting, classes;
    const double *by_class; /* classes x columns; null where all classes share the weights */
    double k, unit, pseudo;
} hb_instances_data;
typedef struct {
    double far, weight;
    int row;
} hb_near;

static inline double hb_scaled(const hb_instances_data *of, const hb_measured *column, double value) {
    if (column->kind != HB_NUMBER) return hb_missing(value) ? column->codes : value;
    if (hb_missing(value)) return value;
    if (column->knots < 0) {
        if (!(column->width > 0)) return 0.0;
        return column->center == 0 && column->width == 1 ? value : (value - column->center) / column->width;
    }
    const double *knots = of->knots + column->knot, *ranks = of->ranks + column->knot;
    int last = -1;
    while (last + 1 < column->knots && knots[last + 1] <= value) last++;
    if (!column->knots) return 0.0;
    if (last < 0) return ranks[0];
    if (last == column->knots - 1 || knots[last] == value) return ranks[last];
    double slope = (ranks[last + 1] - ranks[last]) / (knots[last + 1] - knots[last]);
    return slope * (value - knots[last]) + ranks[last];
}

static inline double hb_power(const hb_instances_data *of, double difference) {
    return of->squared ? difference * difference : difference;
}

static inline double hb_difference(const hb_instances_data *of, const hb_measured *column, double query, double other) {
    if (column->kind == HB_TABLE) {
        if (of->missing == HB_IGNORE && query == column->codes) return 0.0;
        return hb_power(of, of->tables[column->table + (int)query * (column->codes + 1) + (int)other]);
    }
    if (column->kind == HB_OVERLAP) {
        if (query == column->codes || other == column->codes)
            return of->missing == HB_FARTHEST ? 1.0 : of->missing == HB_AVERAGE ? hb_power(of, column->expected) : 0.0;
        return query == other ? 0.0 : 1.0;
    }
    if (!hb_missing(query) && !hb_missing(other)) return hb_power(of, of->squared ? query - other : fabs(query - other));
    if (of->missing == HB_IGNORE) return 0.0;
    if (of->missing == HB_AVERAGE) return hb_power(of, column->expected);
    if (hb_missing(query) && hb_missing(other)) return hb_power(of, column->greatest - column->least);
    double known = hb_missing(query) ? other : query;
    double below = known - column->least, above = column->greatest - known;
    return hb_power(of, below > above ? below : above);
}

static inline int hb_known(const hb_measured *column, double value) {
    return column->kind == HB_NUMBER ? !hb_missing(value) : value != column->codes;
}

static inline double hb_apart(const hb_instances_data *of, const double *query, int row, const double *weights) {
    double total = 0.0, known = 0.0, whole = 0.0;
    for (int f = 0; f < of->n_columns; f++) {
        const hb_measured *column = of->columns + f;
        whole += weights[f];
        if (weights[f] == 0) continue;
        double other = of->kept[(size_t)f * of->n_rows + row];
        total += weights[f] * hb_difference(of, column, query[f], other);
        if (hb_known(column, query[f]) && hb_known(column, other)) known += weights[f];
    }
    if (of->missing == HB_IGNORE)
        return known > 0 ? (of->mean ? total / known : total * (whole / known)) : INFINITY;
    return of->mean && whole > 0 ? total / whole : total;
}

/* Sort by distance, equals by row: a heap, since rows may be many. */
static inline int hb_before(const hb_near *a, const hb_near *b) {
    return a->far < b->far || (a->far == b->far && a->row < b->row);
}

static inline void hb_sift(hb_near *found, int at, int n) {
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n) return;
        if (child + 1 < n && hb_before(found + child, found + child + 1)) child++;
        if (!hb_before(found + at, found + child)) return;
        hb_near moved = found[at];
        found[at] = found[child];
        found[child] = moved;
        at = child;
    }
}

static inline void hb_sort(hb_near *found, int n) {
    for (int at = n / 2 - 1; at >= 0; at--) hb_sift(found, at, n);
    for (int last = n - 1; last > 0; last--) {
        hb_near moved = found[0];
        found[0] = found[last];
        found[last] = moved;
        hb_sift(found, 0, last);
    }
}

/* Append the nearest of the rows (of a class; -1: of all); their number is returned. */
static inline int hb_nearest(const hb_instances_data *of, const double *query, int of_class, int k,
                             const double *weights, hb_near *found) {
    int n = 0, count;
    for (int row = 0; row < of->n_rows; row++) {
        if (of_class >= 0 && of->target[row] != of_class) continue;
        double total = hb_apart(of, query, row, weights);
        found[n].far = of->rooted && of->squared ? sqrt(total) : total;
        found[n].weight = of->row_weights ? of->row_weights[row] : 1.0;
        found[n++].row = row;
    }
    hb_sort(found, n);
    if (!n) return 0;
    count = k < n ? k : n;
    if (of->all_tied)
        while (count < n && found[count].far <= found[count - 1].far) count++;
    if (!of->rooted && of->squared)
        for (int i = 0; i < count; i++) found[i].far = sqrt(found[i].far);
    return count;
}

static inline int hb_neighbors(const hb_instances_data *of, const double *values, hb_near *found) {
    double query[HB_COLUMNS];
    int n = 0;
    for (int f = 0; f < of->n_columns; f++) query[f] = hb_scaled(of, of->columns + f, values[of->columns[f].column]);
    if (!of->by_class) {
        n = hb_nearest(of, query, -1, of->wanted, of->weights, found);
        if (!of->row_weights) return n;
    } else {
        for (int c = 0; c < of->classes; c++)
            n += hb_nearest(of, query, c, (int)of->k, of->by_class + (size_t)c * of->n_columns, found + n);
        hb_sort(found, n);
    }
    double before = 0.0;
    int count = 0;
    while (count < n && before < of->k) before += found[count++].weight;
    if (of->all_tied)
        while (count < n && count > 0 && found[count].far == found[count - 1].far) count++;
    return count;
}

HB_SCRATCH hb_near hb_found[HB_KEPT];

static inline int hb_instances(const void *data, int n, const double *values, double *outputs) {
    const hb_instances_data *of = (const hb_instances_data *)data;
    hb_near *found = hb_found;
    int count = hb_neighbors(of, values, found);
    double total = 0.0;
    for (int i = 0; i < count; i++) {
        double far = found[i].far / of->unit;
        if (of->weighting == HB_INVERSE) found[i].weight /= far + 0.001;
        if (of->weighting == HB_LINEAR) {
            double closeness = 1 - (isfinite(far) ? far : 1);
            found[i].weight *= closeness > 0 ? closeness : 0;
        }
        total += found[i].weight;
    }
    if (!(total > 0)) {
        for (int i = 0; i < count; i++) found[i].weight = 1.0;
        total = count;
    }
    if (!of->classes) {
        double first = of->target[found[0].row], away = 0.0;
        for (int i = 0; i < count; i++) away += found[i].weight * (of->target[found[i].row] - first);
        hb_fill(outputs, n, first + away / total);
        return -1;
    }
    hb_fill(outputs, n, 0.0);
    for (int i = 0; i < count; i++) outputs[(int)of->target[found[i].row]] += found[i].weight;
    for (int k = 0; k < n; k++) outputs[k] = (outputs[k] + of->pseudo) / (total + n * of->pseudo);
    return hb_greatest(outputs, n, 0.0);
}

/* A model whose predictions are corrected by the residuals of near rows. */
typedef struct {
    const hb_model *model;
    const hb_instances_data *near;
    const double *residuals;
    double reach;
} hb_corrected_data;

static inline int hb_corrected(const void *data, int n, const double *values, double *outputs) {
    const hb_corrected_data *corrected = (const hb_corrected_data *)data;
    hb_near *found = hb_found;
    int count = hb_neighbors(corrected->near, values, found);
    double total = 0.0, away = 0.0;
    for (int i = 0; i < count; i++) {
        double residual = corrected->residuals[found[i].row];
        if (!(found[i].far <= corrected->reach) || hb_missing(residual)) continue;
        double weight = found[i].weight / (found[i].far + 0.5);
        total += weight;
        away += weight * residual;
    }
    hb_run(corrected->model, values, outputs);
    hb_fill(outputs, n, outputs[0] + away / (total > 0 ? total : 1));
    return -1;
}
