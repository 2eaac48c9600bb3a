"""Rows kept one after another, as the papers on instance-based learning tell it; slow and plain."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass
class Kept:
    """A kept row: its number, values and class, and how often it was right."""

    number: int
    values: list[float | None]
    label: int
    right: int = 0
    tried: int = 0


@dataclass
class Keeper:
    """Values are numbers, or codes where the column is nominal; None: missing."""

    nominal: list[bool]
    n_classes: int
    records: bool = False
    accept: float = 1.6448536269514722
    reject: float = 1.1503493803760079
    by_class: bool = False
    learned: bool = False
    rate: float | None = None  # None: by the mean of all evidence
    kept: list[Kept] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    low: dict[int, float] = field(default_factory=dict)
    high: dict[int, float] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    weights: list[list[float]] = field(default_factory=list)
    alike: list[list[float]] = field(
        default_factory=list
    )  # summed evidence for each column, and the most there could be
    most: list[list[float]] = field(default_factory=list)
    seen: int = 0

    def __post_init__(self) -> None:
        self.counts = [0] * self.n_classes
        sets = range(self.n_classes if self.by_class else 1)
        self.weights = [[1.0] * len(self.nominal) for _ in sets]
        self.alike = [[1.0] * len(self.nominal) for _ in sets]
        self.most = [[1.0] * len(self.nominal) for _ in sets]

    def difference(self, f: int, x: float | None, y: float | None) -> float:
        if self.nominal[f]:
            return 0.0 if x is not None and x == y else 1.0
        width = self.high.get(f, 0.0) - self.low.get(f, 0.0)
        if x is not None and y is not None:
            return (x - y) / width if width > 0 else 0.0
        if x is None and y is None:
            return 1.0
        there = x if x is not None else y
        assert there is not None
        place = (there - self.low[f]) / width if width > 0 else 0.0
        return max(place, 1 - place)

    def distance(self, values: list[float | None], kept: Kept) -> float:
        weights = self.weights[kept.label if self.by_class else 0]
        total = 0.0
        for f, w in enumerate(weights):
            d = w * self.difference(f, values[f], kept.values[f])
            total += d * d
        return total

    def limit(self, right: int, tried: int, z: float, side: int) -> float:
        if tried == 0:
            return 0.0 if side < 0 else 1.0
        p = right / tried
        spread = z * math.sqrt(p * (1 - p) / tried + z * z / (4 * tried * tried))
        return (p + z * z / (2 * tried) + side * spread) / (1 + z * z / tried)

    def accepted(self, kept: Kept) -> bool:
        lower = self.limit(kept.right, kept.tried, self.accept, -1)
        return lower > self.limit(self.counts[kept.label], self.seen, self.accept, 1)

    def see(self, values: list[float | None], label: int) -> None:
        for f, x in enumerate(values):
            if x is not None and not self.nominal[f]:
                self.low[f], self.high[f] = min(self.low.get(f, x), x), max(self.high.get(f, x), x)
        far = [self.distance(values, kept) for kept in self.kept]
        if not self.kept:
            self.kept.append(Kept(self.seen, values, label))
        else:
            able = [j for j, kept in enumerate(self.kept) if self.records and self.accepted(kept)]
            best = min(able or range(len(self.kept)), key=lambda j: (far[j], j))
            chosen = self.kept[best]
            if self.records:
                self.try_all(far, far[best], label)
            if self.learned:
                self.learn_weights(values, label, chosen)
            if chosen.label != label:
                self.kept.append(Kept(self.seen, values, label))
        self.counts[label] += 1
        self.seen += 1

    def try_all(self, far: list[float], reach: float, label: int) -> None:
        left = []
        for kept, d in zip(self.kept, far, strict=True):
            if d <= reach:
                kept.tried += 1
                kept.right += kept.label == label
                share = self.limit(self.counts[kept.label], self.seen, self.reject, -1)
                if self.limit(kept.right, kept.tried, self.reject, 1) < share:
                    self.dropped.append(kept.number)
                    continue
            left.append(kept)
        self.kept = left

    def learn_weights(self, values: list[float | None], label: int, chosen: Kept) -> None:
        place = chosen.label if self.by_class else 0
        weights, right = self.weights[place], chosen.label == label
        share = 1 - max(self.counts[label], self.counts[chosen.label]) / self.seen
        for f, (x, y) in enumerate(zip(values, chosen.values, strict=True)):
            known = x is not None and y is not None
            d = abs(self.difference(f, x, y)) if known else 0.0
            if known and self.rate is not None:
                weights[f] += (self.rate if right else -self.rate) * (1 - d)
            elif known:
                self.most[place][f] += share
                self.alike[place][f] += share * (1 - d if right else d)
            if self.rate is None:
                weights[f] = self.alike[place][f] / self.most[place][f] - 0.5
            weights[f] = max(0.0, weights[f])
        total = 0.0
        for w in weights:
            total += w
        weights[:] = [w * (len(weights) / total) if total > 0 else 1.0 for w in weights]
