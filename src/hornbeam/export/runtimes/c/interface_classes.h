
/* The code of a category of a column; NAN (missing) for a null pointer and for a category that the model does not know. */
static inline double hb_code(int column, const char *text) {
    for (int code = 0; text && code < hb_n_categories[column]; code++)
        if (!strcmp(hb_categories[column][code], text)) return code;
    return NAN;
}

/* Write the probability of every class; return the index of the predicted class in hb_class_names. */
static inline int hb_predict_proba(const double *values, double *probabilities) {
    int label = hb_run(&hb_the_model, values, probabilities);
    return hb_decided(&hb_the_decision, HB_CLASSES, label, probabilities);
}

/* Return the index of the predicted class in hb_class_names. */
static inline int hb_predict(const double *values) {
    double probabilities[HB_CLASSES];
    return hb_predict_proba(values, probabilities);
}
