"""The kernel that grows trees.

grower: the depth-first walk; it includes the parts below.
children: the children of a split that `search` found.
class: the class that Python sees.
combine: splits by weighted sums of columns.
divide: from a split that `search` found to its branches.
examine: all columns of a node searched.
output: the grown tree as NumPy arrays.
steps: nodes added, rows sent to branches, lists divided.
surrogates: splits that stand in where a value is missing.
threads: growing on several threads, and the lists of all rows.
"""
