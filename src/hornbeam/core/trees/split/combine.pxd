"""Combine: the best cut of a weighted sum of numeric columns (see combine.pyx)."""

from libc.stdint cimport int32_t, int64_t

cdef struct Combining:  # the rows to combine, with every value known
    int64_t n_rows  # below 2^31
    int n_columns
    const double* values  # column after column: n_columns x n_rows
    const int32_t* labels  # class of each row; NULL if the target is a number
    const double* target  # NULL if it is a class
    const double* weights  # NULL: every row counts once
    int criterion  # see enums.pxd
    int n_stats  # number of classes; 3 if the target is a number
    const double* loss  # MISCLASSIFICATION: by true and predicted class; NULL: every error counts once
    double min_branch  # least weight of a branch
    double least_share  # a term stays if its contribution is more than this fraction of the best term's; usually 0.2

# How many doubles of working memory `best_combination` needs: 5 per row, 4 per column, 5 per statistic, and a constant
# 6144 for more than a few hundred rows. Columns are not copied.
cdef int64_t combination_memory(int64_t n_rows, int n_columns, int n_stats) noexcept nogil

# Returns the impurity left by the best split found: INFINITY if no column has a cut with enough weight on both sides. A
# row goes low if the sum of coefficients[m] * value[m], added up in column order, is at most the cut. Coefficients of 0
# are not terms; the first nonzero one is 1. Never worse than the best cut of one column, which is returned (one term)
# if no combination is better.
cdef double best_combination(
    const Combining* given,
    double* memory,
    double* coefficients,  # OUT, n_columns
    double* cut,  # OUT
) noexcept nogil
