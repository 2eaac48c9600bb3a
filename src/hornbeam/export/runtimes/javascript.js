(function (script, more) {
  // Predicts rows with a model given as plain data (written by program.py). Nothing here depends on the model, and
  // no text of the model is ever run. Sums are taken in the same order as in Python, so that predictions are equal.
  // A model is a function of the row's values that returns { outputs, label, path }: outputs are the probabilities of
  // the classes, or one number.
  "use strict";

  const TIE = 1e-6; // summed probabilities that differ by less are a tie, which the first class wins
  const LEAST_SHARE = 1e-6; // a branch with at most this fraction of the rows gets no fraction of a row
  const FIRES = 0.5; // deciding by first match, a rule fires for a row that passes with at least this weight
  const NEAR = 1e-9; // probabilities, and costs relative to the greatest, that differ by less are equal
  const CUTS = 0, CODES = 1, CODE_SETS = 2, SUMS = 3; // kinds of splits
  const FRACTIONAL = -1; // a row with a missing value goes down every branch in fractions

  // ---- rows: an array with one number per column; a category is its code, a missing value is NaN ----

  const columns = script.columns.map(freeze);
  const target = freeze(script.target);
  const codes = columns.map((column) => {
    const codeOf = new Map();
    (column.categories || []).forEach((name, code) => codeOf.has(name) || codeOf.set(name, code));
    return codeOf;
  });

  function freeze(column) {
    if (column.categories) Object.freeze(column.categories);
    return Object.freeze(column);
  }

  function given(row, name) {
    if (row instanceof Map) return row.get(name);
    return Object.prototype.hasOwnProperty.call(row, name) ? row[name] : undefined;
  }

  function valuesOf(row) {
    return columns.map((column, i) => {
      const value = given(row, column.name);
      if (value === null || value === undefined || value !== value) return NaN;
      if (column.kind === "numeric") return numberOf(value, column);
      const code = codes[i].get(String(value));
      return code === undefined ? NaN : code;
    });
  }

  function numberOf(value, column) {
    let number = value;
    if (typeof value === "string") {
      const text = value.trim();
      if (text === "") return NaN;
      const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
      number = plain ? Number(text) : column.format ? secondsOf(text) : NaN;
    }
    if (typeof number !== "number" || !Number.isFinite(number)) {
      throw new RangeError("column " + JSON.stringify(column.name) + " has " + JSON.stringify(String(value)) +
        "; expected " + (column.format ? "a date such as 2024-02-29 or 2024-02-29 13:45, or seconds since 1970"
          : "a finite number"));
    }
    return number;
  }

  function secondsOf(text) {
    const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?)?$/.exec(text);
    return parts === null ? NaN : Date.parse(parts[1] + "T" + (parts[2] || "00:00") + "Z") / 1000;
  }

  // ---- splits ----

  function splitOf(plain) {
    const split = { kind: plain[0] };
    if (split.kind === CUTS) {
      [split.column, split.equalLow, split.flipped] = [plain[1], plain[2] & 1, plain[2] >> 1];
      split.cuts = plain[3].map(Number); // "Infinity" separates known values from missing ones
    } else if (split.kind === CODES) {
      [split.column, split.branches] = [plain[1], plain[2]];
    } else if (split.kind === CODE_SETS) {
      [split.column, split.other, split.branchOf] = [plain[1], plain[2], new Map()];
      plain[3].forEach((code, i) => split.branchOf.set(code, plain[4][i]));
    } else {
      [split.equalLow, split.flipped, split.cuts] = [plain[1] & 1, plain[1] >> 1, plain[2]];
      [split.columns, split.coefficients] = [plain[3], plain[4]];
    }
    return split;
  }

  function branchOf(split, values) {
    if (split.kind === CODES || split.kind === CODE_SETS) {
      const code = values[split.column];
      if (code !== code) return -1;
      if (split.kind === CODES) return code < split.branches.length ? split.branches[code] : -1;
      return split.branchOf.has(code) ? split.branchOf.get(code) : split.other;
    }
    let value = values[split.column];
    if (split.kind === SUMS) {
      value = 0;
      for (let i = 0; i < split.columns.length; i++) value += split.coefficients[i] * values[split.columns[i]];
    }
    if (value !== value) return -1;
    const isAbove = (cut) => value > cut || (value === cut && !split.equalLow);
    let interval = 0;
    while (interval < split.cuts.length && isAbove(split.cuts[interval])) interval++;
    return split.flipped ? split.cuts.length - interval : interval;
  }

  // ---- trees ----

  function treeOf(plain) {
    const splits = plain.splits.map(splitOf);
    const equations = plain.equations && plain.equations.map(equationOf);

    function chosenBranch(node, values) {
      let branch = branchOf(splits[plain.split[node]], values);
      for (const surrogate of branch < 0 && plain.surrogates ? plain.surrogates[node] : []) {
        branch = branchOf(splits[surrogate], values);
        if (branch >= 0) break;
      }
      return branch;
    }

    function walk(values) {
      const path = [], ends = [], pending = [{ node: 0, weight: 1 }];
      while (pending.length) {
        const step = pending.pop();
        path.push(step);
        const first = plain.first[step.node], before = pending.length;
        if (first >= 0) {
          let branch = chosenBranch(step.node, values);
          if (branch < 0) branch = plain.missing[step.node];
          if (branch >= 0) {
            pending.push({ node: first + branch, weight: step.weight });
          } else if (branch === FRACTIONAL) {
            for (let child = first + plain.children[step.node] - 1; child >= first; child--) {
              if (plain.share[child] > LEAST_SHARE) {
                pending.push({ node: child, weight: step.weight * plain.share[child] });
              }
            }
          }
        }
        if (pending.length === before) ends.push(step);
      }
      return { path, ends };
    }

    function add(node, weight, sums) {
      const source = plain.source ? plain.source[node] : node, value = plain.value[source];
      const total = plain.weight ? plain.weight[source] + plain.pseudoTotal : 1;
      for (let k = 0; k < sums.length; k++) {
        sums[k] += total > 0 ? weight * ((value[k] + plain.pseudo[k]) / total) : weight / sums.length;
      }
    }

    function summed(ends) {
      let sums = plain.pseudo.map(() => 0), total = 0;
      if (ends.length > 1) {
        for (const end of ends) {
          add(end.node, end.weight, sums);
          total += end.weight;
        }
        if (total > 0) return sums.map((sum) => sum / total);
        sums = plain.pseudo.map(() => 0);
      }
      add(ends.length > 1 ? 0 : ends[0].node, 1, sums);
      return sums;
    }

    function byEquations(ends, values) {
      let sum = 0;
      for (const end of ends) {
        const computed = equations[end.node](values);
        const value = Number.isFinite(computed) ? computed : plain.value[end.node][0];
        if (ends.length === 1 && end.weight === 1) return value;
        sum += end.weight * value;
      }
      return sum;
    }

    return (values) => {
      const { path, ends } = walk(values);
      if (equations) return { outputs: [byEquations(ends, values)], path };
      const outputs = summed(ends);
      const label = ends.length > 1 ? greatest(outputs, TIE) : plain.label && plain.label[ends[0].node];
      return { outputs, label, path };
    };
  }

  function greatest(outputs, slack = 0) {
    let best = 0;
    for (let k = 1; k < outputs.length; k++) if (outputs[k] > outputs[best] + slack) best = k;
    return best;
  }

  // ---- equations ----

  function looked(table, code) {
    return table[code === code ? code : table.length - 1];
  }

  function factorOf(factor, values) {
    const value = values[factor[0]];
    if (factor.length === 2) return looked(factor[1], value);
    const known = value === value ? value : factor[1];
    return factor[2] === 1 ? known : factor[2] === 2 ? known * known : Math.pow(known, factor[2]);
  }

  // A part is [coefficient, factors], a factor [column, fill, power] or [column, table]; or [table, column]: what
  // each code adds. The last entry of a table is for a missing value.
  function equationOf(plain) {
    return (values) => {
      let sum = plain.intercept;
      for (const part of plain.parts) {
        if (Array.isArray(part[0])) {
          sum += looked(part[0], values[part[1]]);
          continue;
        }
        let product = factorOf(part[1][0], values);
        for (let i = 1; i < part[1].length; i++) product *= factorOf(part[1][i], values);
        sum += part[0] * product;
      }
      return sum;
    };
  }

  function linearOf(plain) {
    const equation = equationOf(plain);
    return (values) => {
      const value = equation(values);
      if (!Number.isFinite(value)) throw new RangeError("values so large that the equation has no finite result");
      return { outputs: [value], path: [] };
    };
  }

  // ---- rules ----

  // [sign, column, value, weight if missing], or
  // ["in" or "missing", column, codes, weight if missing, codes that count as missing]
  function holds(condition, values) {
    const value = values[condition[1]], bound = condition[2], ifMissing = condition[3];
    if (value !== value) return ifMissing;
    switch (condition[0]) {
      case "<=": return value <= bound ? 1 : 0;
      case "<": return value < bound ? 1 : 0;
      case ">": return value > bound ? 1 : 0;
      case ">=": return value >= bound ? 1 : 0;
      case "in": return condition[4].includes(value) ? ifMissing : bound.includes(value) ? 1 : 0;
      default: return condition[4].includes(value) ? ifMissing : 0;
    }
  }

  function ruleOf(plain) {
    const equation = plain.equation && equationOf(plain.equation);
    const exceptions = plain.exceptions && listOf(plain.exceptions);
    return {
      holds: (values) => plain.conditions.reduce((weight, condition) => weight * holds(condition, values), 1),
      predict: (values) => {
        const inner = exceptions && exceptions(values);
        if (inner && inner.fired >= 0) return { ...inner, place: inner.path[0].place };
        let outputs = plain.outputs;
        if (equation) {
          const value = equation(values);
          outputs = [Number.isFinite(value) ? value : plain.outputs[0]];
        }
        return { outputs, label: plain.label, place: [] };
      },
    };
  }

  function listOf(plain) {
    const rules = plain.rules.map(ruleOf), fallback = plain.default && ruleOf(plain.default);

    function first(values) {
      const fired = rules.findIndex((rule) => rule.holds(values) >= FIRES);
      return fired < 0 ? byDefault(values) : result(fired, rules[fired].predict(values));
    }

    function result(fired, { outputs, label, place }) {
      return { outputs, label, fired, path: [{ node: fired, weight: 1, place: [fired].concat(place) }] };
    }

    function byDefault(values) {
      if (fallback) return result(-1, fallback.predict(values));
      return { outputs: plain.nothing.map(Number), label: -1, fired: -1, path: [] };
    }

    function weighted(values) {
      const remaining = plain.decide === "remaining", path = [], sums = plain.nothing.map(() => 0);
      let total = 0, left = 1, most = 0, fired = -1, label = -1;
      for (let i = 0; i < rules.length + (remaining && fallback ? 1 : 0); i++) {
        const rule = i < rules.length ? rules[i] : fallback;
        let weight = i < rules.length ? rule.holds(values) : left > LEAST_SHARE ? 1 : 0;
        if (remaining) {
          weight *= left;
          left -= weight;
        }
        if (!(weight > 0)) continue;
        const inner = rule.predict(values), node = i < rules.length ? i : -1;
        inner.outputs.forEach((value, k) => (sums[k] += weight * value));
        total += weight;
        path.push({ node, weight, place: [node].concat(inner.place) });
        label = inner.label;
        if (weight > most) [most, fired] = [weight, node];
      }
      if (!path.length) return byDefault(values);
      const outputs = sums.map((sum) => sum / total);
      for (const step of path) step.weight /= total;
      return { outputs, label: path.length > 1 ? greatest(outputs, TIE) : label, fired, path };
    }

    return plain.decide === "first" ? first : weighted;
  }

  // ---- several models together ----

  function intervalsOf(plain) {
    const classifier = modelOf(plain.classifier);
    return (values) => {
      const { outputs, path } = classifier(values);
      let sum = 0, total = 0;
      outputs.forEach((probability, k) => {
        sum += probability * plain.values[k];
        total += probability;
      });
      return { outputs: [total > 0 ? sum : plain.default], path };
    };
  }

  function ensembleOf(plain) {
    const members = plain.members.map(modelOf);
    return (values) => {
      const sums = plain.default.map(() => 0);
      let count = 0, least = Infinity, most = -Infinity;
      for (const member of members) {
        const inner = member(values);
        let outputs = inner.outputs;
        if (plain.decide === "vote") outputs = sums.map((_, k) => (k === inner.label ? 1 : 0));
        const isKnown = plain.classes ? outputs.reduce((sum, value) => sum + value, 0) > 0 : outputs[0] === outputs[0];
        if (!isKnown) continue;
        outputs.forEach((value, k) => (sums[k] += value));
        least = Math.min(least, outputs[0]);
        most = Math.max(most, outputs[0]);
        count++;
      }
      const outputs = count ? sums.map((sum) => sum / count) : plain.default;
      // a mean lies between the least and the greatest, even if the sum is rounded or overflows
      if (count && !plain.classes) outputs[0] = Math.min(Math.max(outputs[0], least), most);
      return { outputs, label: greatest(outputs, TIE), path: [] };
    };
  }

  function forestOf(plain) {
    // what takes the first branch: numbers up to a cut, or some codes
    const tests = plain.tests.map((test) => (Array.isArray(test) ? new Set(test) : Number(test)));

    function leafOf(root, values) {
      let node = root;
      while (plain.first[node] >= 0) {
        const value = values[plain.column[node]];
        let second = plain.missing[node];
        if (value === value) second = tests[node] instanceof Set ? !tests[node].has(value) : value > tests[node];
        node = plain.first[node] + Number(second);
      }
      return node;
    }

    return (values) => {
      const isRelative = plain.unit !== undefined; // values are distances from the base
      let sums = plain.base.map((base) => (isRelative ? 0 : base));
      const path = plain.roots.map((root, tree) => {
        const node = leafOf(root, values), value = plain.value[node], to = plain.output ? plain.output[tree] : 0;
        value.forEach((part, k) => (sums[to + k] += Math.fround(part)));
        return { node, weight: 1, tree };
      });
      if (plain.mean) sums = sums.map((sum) => sum / plain.roots.length);
      if (isRelative) sums = sums.map((sum, k) => sum * Number(plain.unit) + plain.base[k]);
      if (plain.mean && sums.length > 1) {
        const total = sums.reduce((sum, value) => sum + value, 0);
        sums = sums.map((value) => value / total);
      }
      const outputs = linked(sums, plain.link);
      return { outputs, label: greatest(outputs), path };
    };
  }

  function linked(sums, link) {
    if (link === "logistic") {
      const small = Math.exp(-Math.abs(sums[0])), second = (sums[0] >= 0 ? 1 : small) / (1 + small);
      return [1 - second, second];
    }
    if (link === "exp") return sums.map(Math.exp);
    if (link !== "softmax") return sums;
    const most = Math.max(...sums), raised = sums.map((sum) => Math.exp(sum - most));
    const total = raised.reduce((sum, value) => sum + value, 0);
    return raised.map((value) => value / total);
  }

  // ---- from outputs to a prediction ----

  const kinds = {
    tree: treeOf,
    rules: listOf,
    linear: linearOf,
    intervals: intervalsOf,
    ensemble: ensembleOf,
    forest: forestOf,
  };

  function modelOf(plain) {
    return kinds[plain.kind](plain);
  }

  if (more) Object.assign(kinds, more({ modelOf, factorOf, greatest }));

  function leastCost(outputs, costs, possible) {
    const expected = costs.map((_, label) => (possible[label]
      ? outputs.reduce((sum, value, k) => sum + value * costs[k][label], 0) : Infinity));
    const slack = NEAR * Math.max(...costs.map((row) => Math.max(...row)));
    const least = Math.min(...expected) + slack;
    return expected.findIndex((cost) => cost <= least);
  }

  function decided({ outputs, label }) {
    const decide = script.decide || {};
    if (decide.overall && !(outputs.reduce((sum, value) => sum + value, 0) > 0)) outputs = decide.overall;
    const possible = decide.withRows || outputs.map(() => true); // classes without training rows are never predicted
    if (decide.costs) label = leastCost(outputs, decide.costs, possible);
    else if (decide.threshold !== undefined && !possible.every(Boolean)) label = possible.indexOf(true);
    else if (decide.threshold !== undefined) label = outputs[1] >= decide.threshold - NEAR ? 1 : 0;
    else if (label < 0) label = greatest(outputs);
    return { outputs, label };
  }

  const model = modelOf(script.model);

  function predict(row) {
    const result = model(valuesOf(row)), path = result.path;
    if (target.kind === "numeric") {
      const value = result.outputs[0];
      return { prediction: value === value ? value : null, probabilities: null, path };
    }
    const { outputs, label } = decided(result);
    const probabilities = Object.create(null); // a class may be called __proto__
    target.categories.forEach((name, code) => (probabilities[name] = outputs[code]));
    return { prediction: label >= 0 ? target.categories[label] : null, probabilities, path };
  }

  return Object.freeze({ columns: Object.freeze(columns), target, predict });
})
