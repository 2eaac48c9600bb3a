
/* The code of a category of a column; NAN (missing) for a null pointer and for a category that the model does not know. */
static inline double hb_code(int column, const char *text) {
    for (int code = 0; text && code < hb_n_categories[column]; code++)
        if (!strcmp(hb_categories[column][code], text)) return code;
    return NAN;
}

/* Return the predicted number. */
static inline double hb_predict(const double *values) {
    double output[1];
    hb_run(&hb_the_model, values, output);
    return output[0];
}
