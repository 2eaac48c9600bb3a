"""Kernels that sort, bin, gather and divide rows.

bin: numbers into bins.
gather: entries of long arrays in a given order.
lists: the table as sorted lists, which the tree grower and the partial trees share.
partition: the entries of a list are divided among the branches of a split, in order.
presort: a column sorted once, and codes for columns with few values; the sorts of rpart and WEKA (tie_order.pxi).
sort: the two sorts of all kernels: by merging and by digits.
"""
