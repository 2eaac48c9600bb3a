"""Trees from counts: partitions are counted level by level, and the splits are chosen from the counts.

learn: from an estimator and a source to a model.
supported: which choices of a recipe can be learned from counts.
bins: the codes for the values of each column.
quantiles: exact quantiles of all partitions, by counting bit patterns.
coded: partitions as codes, and the paths of their rows down a tree.
numbers: numeric targets as counts.
counter: the interface for counts, and counts from partitions.
along: counts at every node of a tree, for pruning.
choose: the split of a node, from its counts.
deviations: splits by the standard deviation, from sums.
top: the nodes with many rows, level by level.
bring: the rows of nodes, from partitions.
finish: the nodes with few rows, exactly as in memory.
join: join many pieces to one tree.
pruning: collapse and prune, with counts of partitions where branches may be raised.
"""
