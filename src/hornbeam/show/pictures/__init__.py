"""Pictures of models as SVG: trees, rules, clusters, regions; and what all of them share."""
