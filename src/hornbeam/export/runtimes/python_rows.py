"""The part of the Python runtime for models that keep rows: neighbors, support vectors.

As in python.py nothing depends on the model, and sums, rounding included, are those of the compiled kernels.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hornbeam.export.runtimes.python import NEAR, factor_of, greatest, in_order, model_of, single

SOFTENED = 0.5  # added to a distance before dividing by it, where neighbors correct a model
NEARLY_ZERO = 0.001  # the same, where they predict
ON_PLANE = 1e-9  # decision values up to this are of the first class
LEAST_PROBABILITY = 1e-7  # probabilities are kept this far from 0 and 1
MOST_ROUNDS = 100  # of pairwise coupling
NUMBER, TABLE = 0, 2  # kinds of columns; 1: categories are equal or not
FARTHEST, IGNORE, AVERAGE = 0, 1, 2  # the distance of a missing value to others


# ---- distances ----


def scale_of(column):
    """Make the function that scales a number of a column."""
    if "knots" in column:
        return lambda value: interpolated(value, column["knots"], column["ranks"]) if value == value else value
    center, width = column["center"], column["width"]
    if not width > 0:
        return lambda value: 0.0 if value == value else value
    return lambda value: value if center == 0 and width == 1 else (value - center) / width


def interpolated(value, knots, ranks):
    """Return the rank of a value between those of the knots around it."""
    if not knots:
        return 0.0
    last = -1  # the last knot that is not above the value
    while last + 1 < len(knots) and knots[last + 1] <= value:
        last += 1
    if last < 0:
        return ranks[0]
    if last == len(knots) - 1 or knots[last] == value:
        return ranks[last]
    slope = (ranks[last + 1] - ranks[last]) / (knots[last + 1] - knots[last])
    return slope * (value - knots[last]) + ranks[last]


def difference_of(column, plain):
    """Make the function of the weighted difference of two values of a column."""
    squared, missing, codes = plain["squared"], plain["missing"], column.get("codes")

    def power(difference):
        return difference * difference if squared else difference

    def of_numbers(query, other):
        if query == query and other == other:
            return power(query - other if squared else abs(query - other))
        if missing == IGNORE:
            return 0.0
        if missing == AVERAGE:
            return power(column["expected"])
        least, most = column["least"], column["greatest"]
        if query != query and other != other:
            return power(most - least)
        known = query if query == query else other
        return power(max(known - least, most - known))

    def of_codes(query, other):
        if codes in (query, other):
            return 1.0 if missing == FARTHEST else power(column["expected"]) if missing == AVERAGE else 0.0
        return 0.0 if query == other else 1.0

    def of_table(query, other):
        if missing == IGNORE and query == codes:
            return 0.0
        return power(column["table"][query * (codes + 1) + other])

    return of_numbers if column["kind"] == NUMBER else of_table if column["kind"] == TABLE else of_codes


def nearest_of(plain, kept):
    """Make the function that finds the nearest of some kept rows: (distance, row), nearest first."""
    scales, differences, others = [], [], []
    for column, values in zip(plain["columns"], kept):
        if column["kind"] == NUMBER:
            scale = scale_of(column)
        else:
            scale = lambda code, codes=column["codes"]: codes if code != code else int(code)  # noqa: E731
        scales.append(scale)
        differences.append(difference_of(column, plain))
        others.append([scale(float(value)) for value in values])
    absent = [math.nan if column["kind"] == NUMBER else column["codes"] for column in plain["columns"]]

    def is_known(f, value):
        return value == value and value != absent[f]

    def apart(query, row, weights):
        total = known = whole = 0.0
        for f, weight in enumerate(weights):
            whole += weight
            if weight == 0:
                continue
            other = others[f][row]
            total += weight * differences[f](query[f], other)
            if is_known(f, query[f]) and is_known(f, other):
                known += weight
        if plain["missing"] == IGNORE:
            return (total / known if plain["mean"] else total * (whole / known)) if known > 0 else math.inf
        return total / whole if plain["mean"] and whole > 0 else total

    def rooted(total):
        return math.sqrt(total) if plain["squared"] else total

    def nearest(values, rows, k, weights):
        query = [scale(values[column["column"]]) for scale, column in zip(scales, plain["columns"])]
        found = []
        for row in rows:
            total = apart(query, row, weights)
            found.append((rooted(total) if plain["rooted"] else total, row))
        found.sort()
        last = found[min(k, len(found)) - 1][0]
        found = [near for near in found if near[0] <= last] if plain["allTied"] else found[:k]
        return found if plain["rooted"] else [(rooted(total), row) for total, row in found]

    return nearest


# ---- neighbors ----


def near_of(plain):
    """Make the function that returns the neighbors of a row: (distance, row, weight)."""
    nearest = nearest_of(plain["distance"], plain["kept"])
    target, weights, k = plain["target"], plain.get("weights"), plain["k"]
    by_class = plain.get("byClass")
    own = [[row for row, code in enumerate(target) if code == k] for k in range(len(by_class or ()))]

    def enough(neighbors):
        before, count = 0.0, 0
        while count < len(neighbors) and before < k:
            before += neighbors[count][2]
            count += 1
        last = neighbors[count - 1][0]
        tied = plain["distance"]["allTied"]
        return [near for i, near in enumerate(neighbors) if i < count or (tied and near[0] == last)]

    def neighbors_of(values):
        if by_class:
            found = []
            for rows, weights_of_class in zip(own, by_class):
                if rows:
                    found += nearest(values, rows, k, weights_of_class)
            found.sort()
        else:
            found = nearest(values, range(len(target)), plain["wanted"], plain["distance"]["weights"])
        found = [(far, row, weights[row] if weights else 1.0) for far, row in found]
        return enough(found) if by_class or weights else found

    return neighbors_of


def instances_of(plain):
    """Make the function of kept rows."""
    neighbors_of, target, classes = near_of(plain), plain["target"], plain["classes"]

    def weight_of(far, weight):
        if plain["weighting"] == "uniform":
            return weight
        far /= plain["unit"]
        if plain["weighting"] == "inverse":
            return weight / (far + NEARLY_ZERO)
        return weight * max(1 - (far if math.isfinite(far) else 1), 0)

    def predict(values):
        neighbors = neighbors_of(values)
        weights = [weight_of(far, weight) for far, _, weight in neighbors]
        total = in_order(weights)
        if not total > 0:
            weights, total = [1.0] * len(neighbors), float(len(neighbors))
        if not classes:
            first = target[neighbors[0][1]]
            away = in_order(weight * (target[near[1]] - first) for weight, near in zip(weights, neighbors))
            return [first + away / total], -1
        sums = [0.0] * classes
        for weight, near in zip(weights, neighbors):
            sums[target[near[1]]] += weight
        outputs = [(part + plain["pseudo"]) / (total + classes * plain["pseudo"]) for part in sums]
        return outputs, greatest(outputs)

    return predict


def corrected_of(plain):
    """Make the function of a model that neighbors correct."""
    base, neighbors_of = model_of(plain["base"]), near_of(plain["near"])
    residuals = [float(value) for value in plain["residuals"]]

    def predict(values):
        total = away = 0.0
        for far, row, own in neighbors_of(values):
            if far <= plain["reach"] and residuals[row] == residuals[row]:
                weight = own / (far + SOFTENED)
                total += weight
                away += weight * residuals[row]
        return [base(values)[0][0] + away / (total if total > 0 else 1)], -1

    return predict


# ---- support vectors ----


def exponential(x):
    """Return the exponential of a number of at most zero, in single precision as the kernels do."""
    if abs(x) > 87:
        return 0.0
    below = -abs(x)
    shift = 12582912.0
    raised = single(single(below * single(1.44269504)) + shift)
    whole = single(raised - shift)
    rest = single(single(below - single(whole * single(0.693359375))) + single(whole * single(2.1219444e-4)))
    total = single(1 / 5040)
    for factor in (1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1, 1):
        total = single(single(total * rest) + single(factor))
    bits = struct.unpack("i", struct.pack("f", total))[0] + (struct.unpack("i", struct.pack("f", raised))[0] << 23)
    bits = (bits + (1 << 31)) % (1 << 32) - (1 << 31)
    return struct.unpack("f", struct.pack("i", bits))[0]


def kernel_of(plain):
    """Make a kernel function."""
    name, gamma, coef0 = plain["name"], plain["gamma"], plain["coef0"]

    def rbf(one, other):
        total = 0.0
        for a, b in zip(one, other):
            away = single(a - b)
            total = single(total + single(away * away))
        return exponential(single(-single(gamma) * total))

    def product(one, other):
        return gamma * in_order(a * b for a, b in zip(one, other)) + coef0

    def sigmoid(one, other):
        z = single(product(one, other))
        e = exponential(single(-2 * abs(z)))
        return (-1 if z < 0 else 1) * single(single(1 - e) / single(1 + e))

    def polynomial(one, other):
        base = product(one, other)
        power = base
        for _ in range(1, plain["degree"]):
            power *= base
        return power

    return rbf if name == "rbf" else sigmoid if name == "sigmoid" else polynomial


def weighed(coefficients, kernels, first, last):
    """Sum coefficients times kernel values over a range of rows, as eight interleaved sums."""
    lanes, whole = [0.0] * 8, first + (last - first) // 8 * 8
    for t in range(first, last):
        lanes[(t - first) % 8 if t < whole else 0] += coefficients[t] * kernels[t]
    return lanes[0] + lanes[1] + (lanes[2] + lanes[3]) + (lanes[4] + lanes[5] + (lanes[6] + lanes[7]))


class Machines:
    """A support vector machine as a function."""

    def __init__(self, plain):
        self.plain, self.machines, self.pairs = plain, plain["machines"], plain["pairs"]
        self.slopes, self.classes = plain.get("slopes"), plain["classes"]
        self.kernel = kernel_of(plain["kernel"]) if "kernel" in plain else None
        self.vectors = [[single(value) for value in vector] for vector in plain.get("vectors", ())]

    def point_of(self, values):
        point = [(factor_of(factor, values) - shift) / width for factor, shift, width in self.plain["axes"]]
        if "products" not in self.plain:
            return point
        products = []
        for weight, *chosen in self.plain["products"]:
            product = 1.0
            for axis in chosen:
                product *= point[axis]
            products.append(product * weight)
        return products

    def margins_of(self, values):
        point = self.point_of(values)
        if self.kernel is None:
            return [in_order(w * x for w, x in zip(one["plane"], point)) + one["intercept"] for one in self.machines]
        if self.plain["kernel"]["name"] != "polynomial":  # in single precision, as in training
            point = [single(value) for value in point]
        kernels = [self.kernel(vector, point) for vector in self.vectors]
        margins = []
        for one in self.machines:
            runs, coefficients = one["runs"], one["coefficients"]
            first, second = weighed(coefficients, kernels, *runs[:2]), weighed(coefficients, kernels, *runs[2:])
            margins.append(first + second + one["intercept"])
        return margins

    def votes(self, margins):
        outputs = [0.0] * self.classes
        if self.pairs[0][0] < 0:
            outputs[self.pairs[greatest(margins)][1]] = 1.0
            return outputs
        for (first, second), margin in zip(self.pairs, margins):
            outputs[second if margin > ON_PLANE else first] += 1
        return [count / len(self.machines) for count in outputs]

    def probabilities_of(self, margins):
        if not self.slopes:
            return self.votes(margins)
        of_pairs = []
        for value, (slope, offset) in zip(margins, self.slopes):
            z = value * slope + offset
            small = math.exp(-abs(z))
            of_pairs.append(small / (1 + small) if z >= 0 else 1 / (1 + small))
        if self.pairs[0][0] >= 0:
            return coupled(of_pairs, self.pairs, self.classes)
        outputs, total = [0.0] * self.classes, in_order(of_pairs)
        for pair, value in zip(self.pairs, of_pairs):
            outputs[pair[1]] = value / total
        return outputs

    def __call__(self, values):
        margins = self.margins_of(values)
        if not self.classes:
            return margins, -1
        outputs = self.probabilities_of(margins)
        return outputs, greatest(outputs)


def coupled(of_pairs, pairs, classes):
    """Return the probabilities p that come closest to r[ij] p[j] = r[ji] p[i] for every pair of classes."""
    outputs = [0.0] * classes
    present = sorted({code for pair in pairs for code in pair})
    k = len(present)
    if k == 2:
        outputs[pairs[0][1]], outputs[pairs[0][0]] = of_pairs[0], 1 - of_pairs[0]
        return outputs
    r = [[0.0] * k for _ in present]
    for (first, second), given in zip(pairs, of_pairs):
        value = min(max(given, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
        i, j = present.index(first), present.index(second)
        r[j][i], r[i][j] = value, 1 - value
    q = [[in_order(row[i] ** 2 for row in r) if i == j else -r[i][j] * r[j][i] for j in range(k)] for i in range(k)]
    p = [1 / k] * k
    for _ in range(MOST_ROUNDS):
        qp = [in_order(a * b for a, b in zip(row, p)) for row in q]
        whole = in_order(a * b for a, b in zip(p, qp))
        if max(abs(value - whole) for value in qp) < NEAR:
            break
        for t in range(k):
            step = (whole - qp[t]) / q[t][t]
            p[t] += step
            whole = (whole + step * (step * q[t][t] + 2 * qp[t])) / (1 + step) ** 2
            qp = [(value + step * q[t][i]) / (1 + step) for i, value in enumerate(qp)]
            p = [value / (1 + step) for value in p]
    for code, value in zip(present, p):
        outputs[code] = value
    return outputs


MORE = {"instances": instances_of, "corrected": corrected_of, "margin": Machines}
