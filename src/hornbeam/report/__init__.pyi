# The public names and where they live: read by type checkers, and by `__init__.py` when it is imported.

from hornbeam.report.about import About as About
from hornbeam.report.clusters import ClusterReport as ClusterReport
from hornbeam.report.clusters import report_clusters as report_clusters
from hornbeam.report.making import build as build
from hornbeam.report.result import Report as Report
