"""Combine: the best cut of a weighted sum of numeric columns (see combine.pyx)."""

from libc.stdint cimport int32_t, int64_t

cdef struct Combining:  # what is to be combined: rows with every value known
    int64_t n_rows  # below 2^31
    int n_columns
    const double* values  # column after column: n_columns x n_rows
    const int32_t* labels  # class of each row; NULL where the target is a number
    const double* target  # NULL where it is a class
    const double* weights  # NULL: every row counts once
    int criterion  # see enums.pxd
    int n_stats  # classes; 3 where the target is a number
    const double* loss  # MISCLASSIFICATION: by true class and answer; NULL: every error counts once
    double min_branch  # least weight of a branch
    double least_share  # a term stays if it is worth more than this share of what the best term is worth; usually 0.2

# How many doubles of working memory `best_combination` needs: 5 a row, 4 a column, 5 a statistic, and the same 6144 for
# any more than a few hundred rows. Columns are not copied.
cdef int64_t combination_memory(int64_t n_rows, int n_columns, int n_stats) noexcept nogil

# Gives the mass that is left by the best split found: INFINITY where no column has a cut with enough weight on both
# sides. A row goes low where the sum of coefficients[m] * value[m], added up in column order, is at most the cut.
# Coefficients of 0 are no terms; the first that is not is 1. Never worse than the best cut of one column, which is
# given (one term) where no combination is better.
cdef double best_combination(
    const Combining* given,
    double* memory,
    double* coefficients,  # OUT, n_columns
    double* cut,  # OUT
) noexcept nogil
