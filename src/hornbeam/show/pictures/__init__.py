"""Models as pictures: plain SVG, nothing to install.

- tree_svg: `hornbeam.show.svg`, and trees.
- tree_cards: the text of every node. tree_boxes: how nodes look. tree_places: where they are.
- tree_detail: how much of a large tree is drawn. tree_rows: the rows of a table at the nodes.
- rule_svg: lists of rules. concepts_svg: trees of concepts. dendrogram_svg: dendrograms.
- importance_svg: the importance of columns. regions_svg: predictions on the plane of two columns.
- map_svg, parallel_svg, density_svg: clusters on a plane, over all columns, and as densities.
- cluster_rows: the rows of a picture of clusters.
- palette: colors. themes: light and dark. marks: colors and marks of clusters. svg_parts: text, headings, documents.
"""
