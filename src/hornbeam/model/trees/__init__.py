"""Trees as plain data: the tree, its splits, nodes, figures and decision log."""
