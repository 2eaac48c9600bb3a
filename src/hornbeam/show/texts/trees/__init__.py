"""Trees as text.

- indented: the default style. classic: the WEKA layouts. rpart_text: the layout of R's rpart.
- decisions: `hornbeam.show.why`, the decision log.
- tree_explanation: why a tree predicts as it does for one row.
- node_notes: runner-up splits, surrogates, missing values, and the p-value of a split.
"""
