from typing import Final

SLACK: Final[float]
AVERAGE_SLACK: Final[float]
LEAF_MARGIN: Final[float]
LEAST_SHARE: Final[float]
TIE: Final[float]
