"""Trees as text.

- indented: the default style. classic: the WEKA layouts. rpart_text: the layout of R's rpart.
- decisions: `hornbeam.show.why`, the decision log. impurity: the impurity of nodes.
- node_notes: runner-up splits, surrogates, missing values, and how likely a split is to be chance.
"""
