# The public names and where they live: read by type checkers, and by `__init__.py` when it is imported.

from hornbeam.show import chart_svg as chart_svg
from hornbeam.show import plot as plot
from hornbeam.show.pictures.dendrogram_svg import dendrogram as dendrogram
from hornbeam.show.pictures.density_svg import densities as densities
from hornbeam.show.pictures.importance_svg import importances as importances
from hornbeam.show.pictures.map_svg import cluster_map as cluster_map
from hornbeam.show.pictures.parallel_svg import parallel_coordinates as parallel_coordinates
from hornbeam.show.pictures.regions_svg import decision_regions as decision_regions
from hornbeam.show.pictures.tree_svg import svg as svg
from hornbeam.show.texts.explanation import explain as explain
from hornbeam.show.texts.styles import Room as Room
from hornbeam.show.texts.styles import text as text
from hornbeam.show.texts.trees.decisions import why as why
