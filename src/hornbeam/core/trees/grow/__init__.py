"""The kernel that grows trees.

grower: the depth-first walk; it includes the parts below.
children: the children of a split that `search` found.
class: the class that Python sees.
combine: splits by weighted sums of columns.
divide: from a split that `search` found to its branches.
examine: searches all columns of a node.
output: the grown tree as NumPy arrays.
steps: adds nodes, sends rows to branches, divides lists.
surrogates: splits that replace the primary one if its value is missing.
threads: growing on several threads, and the lists of all rows.
"""
