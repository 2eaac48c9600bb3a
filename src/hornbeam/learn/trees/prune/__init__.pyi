# The public names and where they live: read by type checkers, and by `__init__.py` when it is imported.

from hornbeam.learn.trees.prune.by_complexity import cost_complexity as cost_complexity
from hornbeam.learn.trees.prune.by_complexity import levels as levels
from hornbeam.learn.trees.prune.by_complexity import to_size as to_size
from hornbeam.learn.trees.prune.by_estimate import complexity_factor as complexity_factor
from hornbeam.learn.trees.prune.by_estimate import description_length as description_length
from hornbeam.learn.trees.prune.by_estimate import minimum_error as minimum_error
from hornbeam.learn.trees.prune.by_estimate import pessimistic as pessimistic
from hornbeam.learn.trees.prune.by_threshold import chi_square as chi_square
from hornbeam.learn.trees.prune.by_threshold import critical_value as critical_value
from hornbeam.learn.trees.prune.held_out import reduced_error as reduced_error
from hornbeam.learn.trees.prune.into_rules import rules as rules
from hornbeam.learn.trees.prune.path import PruningPath as PruningPath
