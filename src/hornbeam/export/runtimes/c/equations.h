
/* ---- equations: an intercept, and parts that are products of factors or looked up by category ---- */

typedef struct {
    hb_int column, power, table, last; /* table >= 0: one entry per category, the last one for a missing value */
    double fill; /* in the place of a missing number */
} hb_factor;
typedef struct {
    hb_int start, stop; /* its factors; start < 0: looked up by the category of a column */
    hb_int column, table, last;
    double coefficient;
} hb_part;
typedef struct {
    hb_int start, stop;
    double intercept;
} hb_equation;
typedef struct {
    const hb_equation *equations;
    const hb_part *parts;
    const hb_factor *factors;
    const double *tables;
} hb_algebra;

static inline double hb_entry(const double *table, int last, double code) {
    return table[hb_missing(code) ? last : (int)code];
}

static inline double hb_factor_value(const hb_factor *factor, const double *tables, const double *values) {
    double value = values[factor->column];
    if (factor->table >= 0) return hb_entry(tables + factor->table, factor->last, value);
    if (hb_missing(value)) value = factor->fill;
    return factor->power == 1 ? value : factor->power == 2 ? value * value : pow(value, factor->power);
}

static inline double hb_compute(const hb_algebra *algebra, int which, const double *values) {
    const hb_equation *equation = algebra->equations + which;
    double total = equation->intercept;
    for (int i = equation->start; i < equation->stop; i++) {
        const hb_part *part = algebra->parts + i;
        if (part->start < 0) {
            total += hb_entry(algebra->tables + part->table, part->last, values[part->column]);
            continue;
        }
        double product = hb_factor_value(algebra->factors + part->start, algebra->tables, values);
        for (int f = part->start + 1; f < part->stop; f++)
            product *= hb_factor_value(algebra->factors + f, algebra->tables, values);
        total += part->coefficient * product;
    }
    return total;
}

/* A linear model; NaN where values are so large that there is no finite result. */
static inline int hb_linear(const void *data, int n, const double *values, double *outputs) {
    double value = hb_compute((const hb_algebra *)data, 0, values);
    hb_fill(outputs, n, isfinite(value) ? value : NAN);
    return -1;
}
