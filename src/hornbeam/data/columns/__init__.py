"""Columns that are left out, replaced by others, or read as numbers and dates.

meaning: columns of a file that are left out, or replaced by other columns.
numbers: numbers with currency signs, thousands separators, percent signs, units and parentheses.
magnitudes: letters behind numbers that are factors (41.3K, 5.2M), and formulas of Excel (="57.03").
month_names: names of months in other languages, and numbers such as 1st.
written_dates: the pattern that dates are written in.
date_parts: year, month, weekday and hour of dates as columns.
derived: columns that are computed from another column, and computed again for new rows.
words: columns of words, for a column of texts.
"""
