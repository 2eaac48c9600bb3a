
/* ---- rules, with exceptions ---- */

enum { HB_LE, HB_LT, HB_GT, HB_GE, HB_IN }; /* signs of conditions */
enum { HB_FIRST, HB_VOTE, HB_REMAINING }; /* how a list decides */
#define HB_FIRES 0.5 /* deciding by first match, a rule fires for a row that passes with at least this weight */

typedef struct {
    hb_int sign, column;
    hb_int start, stop, end; /* the codes that hold; up to `end` those that count as missing */
    double bound, if_missing;
} hb_condition;
typedef struct {
    hb_int start, stop; /* its conditions */
    hb_int label, equation, exceptions; /* -1: none */
    hb_int outputs; /* its row of `value` */
} hb_rule;
typedef struct {
    hb_int start, stop, fallback; /* its rules, and the default rule; -1: none */
    hb_int decide, nothing; /* the row of `value` where no rule decides */
} hb_list;
typedef struct {
    const hb_list *lists;
    const hb_rule *rules;
    const hb_condition *conditions;
    const hb_int *codes;
    const double *value;
    const hb_algebra *algebra;
} hb_rules_data;

static inline double hb_holds(const hb_rules_data *rules, const hb_condition *condition, const double *values) {
    double value = values[condition->column];
    if (hb_missing(value)) return condition->if_missing;
    if (condition->sign == HB_IN) {
        for (int i = condition->stop; i < condition->end; i++)
            if (rules->codes[i] == (int)value) return condition->if_missing;
        for (int i = condition->start; i < condition->stop; i++)
            if (rules->codes[i] == (int)value) return 1.0;
        return 0.0;
    }
    if (condition->sign == HB_LE) return value <= condition->bound;
    if (condition->sign == HB_LT) return value < condition->bound;
    return condition->sign == HB_GT ? value > condition->bound : value >= condition->bound;
}

static inline double hb_weight(const hb_rules_data *rules, const hb_rule *rule, const double *values) {
    double weight = 1.0;
    for (int i = rule->start; i < rule->stop; i++) weight *= hb_holds(rules, rules->conditions + i, values);
    return weight;
}

/* The rule of a list that decided is returned, -1 for none; the label is written. */
static int hb_decide(const hb_rules_data *, int which, int n, const double *values, double *outputs, int *label);

static inline void hb_rule_says(const hb_rules_data *rules, const hb_rule *rule, int n, const double *values,
                                double *outputs, int *label) {
    if (rule->exceptions >= 0 && hb_decide(rules, rule->exceptions, n, values, outputs, label) >= 0) return;
    *label = rule->label;
    memcpy(outputs, rules->value + (size_t)rule->outputs * n, n * sizeof(double));
    if (rule->equation >= 0) {
        double value = hb_compute(rules->algebra, rule->equation, values);
        if (isfinite(value)) outputs[0] = value;
    }
}

static inline int hb_by_default(const hb_rules_data *rules, const hb_list *list, int n, const double *values,
                                double *outputs, int *label) {
    *label = -1;
    memcpy(outputs, rules->value + (size_t)list->nothing * n, n * sizeof(double));
    if (list->fallback >= 0) hb_rule_says(rules, rules->rules + list->fallback, n, values, outputs, label);
    return -1;
}

static int hb_decide(const hb_rules_data *rules, int which, int n, const double *values, double *outputs, int *label) {
    const hb_list *list = rules->lists + which;
    if (list->decide == HB_FIRST) {
        for (int i = list->start; i < list->stop; i++)
            if (hb_weight(rules, rules->rules + i, values) >= HB_FIRES) {
                hb_rule_says(rules, rules->rules + i, n, values, outputs, label);
                return i - list->start;
            }
        return hb_by_default(rules, list, n, values, outputs, label);
    }
    double sums[HB_OUTPUTS] = {0}, total = 0.0, left = 1.0, most = 0.0;
    int used = 0, fired = -1, last = list->stop + (list->decide == HB_REMAINING && list->fallback >= 0);
    for (int i = list->start; i < last; i++) {
        const hb_rule *rule = rules->rules + (i < list->stop ? i : list->fallback);
        double weight = i < list->stop ? hb_weight(rules, rule, values) : left > HB_LEAST_SHARE;
        if (list->decide == HB_REMAINING) {
            weight *= left;
            left -= weight;
        }
        if (!(weight > 0)) continue;
        hb_rule_says(rules, rule, n, values, outputs, label);
        for (int k = 0; k < n; k++) sums[k] += weight * outputs[k];
        total += weight;
        used++;
        if (weight > most) {
            most = weight;
            fired = i < list->stop ? i - list->start : -1;
        }
    }
    if (!used) return hb_by_default(rules, list, n, values, outputs, label);
    for (int k = 0; k < n; k++) outputs[k] = sums[k] / total;
    if (used > 1) *label = hb_greatest(outputs, n, HB_TIE);
    return fired;
}

static inline int hb_rules(const void *data, int n, const double *values, double *outputs) {
    int label = -1;
    hb_decide((const hb_rules_data *)data, 0, n, values, outputs, &label);
    return label;
}
