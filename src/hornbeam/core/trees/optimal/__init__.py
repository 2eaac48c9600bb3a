"""Kernels of optimal trees: the best tree of a given depth, by branch and bound over every split of every column.

search: the search, which can be stopped at any moment and then knows how far its tree is from the best at most.

search.pyx includes nodes.pxi (the rows of a node, sorted by every column), leaf.pxi (the cost of a leaf), stump.pxi and
walk.pxi (trees of one split), two.pxi (trees of depth two), deep.pxi (deeper trees) and tokens.pxi (the tree found).
"""
