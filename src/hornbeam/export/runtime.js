(function (script, more) {
  // Answers rows by a model written as plain data (javascript.py writes it). Nothing here depends on the model, and no
  // text of the model is ever run. Sums are taken in the order in which Python takes them, so that answers are equal.
  "use strict";

  const TIE = 1e-6; // summed shares of classes this near are a tie, which the first class wins
  const LEAST_SHARE = 1e-6; // a branch with no more than this share gets no piece of a row
  const FIRES = 0.5; // deciding by first match, a rule fires for a row that passes with at least this weight
  const NEAR = 1e-9; // shares, and costs relative to the greatest, that are this near are the same
  const CUTS = 0, CODES = 1, CODE_SETS = 2, SUMS = 3; // kinds of splits
  const FRACTIONAL = -1; // a row without the value goes down every branch in pieces

  // ---- rows: an array of numbers, one a column; a category is its code, and what is missing is NaN ----

  const columns = script.columns.map(freeze);
  const target = freeze(script.target);
  const codes = columns.map((column) => {
    const found = new Map();
    (column.categories || []).forEach((name, code) => found.has(name) || found.set(name, code));
    return found;
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
    return columns.map((column, place) => {
      const value = given(row, column.name);
      if (value === null || value === undefined || value !== value) return NaN;
      if (column.kind === "numeric") return numberOf(value, column);
      const code = codes[place].get(String(value));
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
      split.cuts = plain[3].map(Number); // "Infinity" parts the known from the missing
    } else if (split.kind === CODES) {
      [split.column, split.branches] = [plain[1], plain[2]];
    } else if (split.kind === CODE_SETS) {
      [split.column, split.other, split.branchOf] = [plain[1], plain[2], new Map()];
      plain[3].forEach((code, place) => split.branchOf.set(code, plain[4][place]));
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
    let place = 0;
    while (place < split.cuts.length && isAbove(split.cuts[place])) place++;
    return split.flipped ? split.cuts.length - place : place;
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
      const source = plain.answering ? plain.answering[node] : node, value = plain.value[source];
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
        const found = equations[end.node](values);
        const answer = Number.isFinite(found) ? found : plain.value[end.node][0];
        if (ends.length === 1 && end.weight === 1) return answer;
        sum += end.weight * answer;
      }
      return sum;
    }

    return (values) => {
      const { path, ends } = walk(values);
      if (equations) return { shares: [byEquations(ends, values)], path };
      const shares = summed(ends);
      return { shares, label: ends.length > 1 ? best(shares) : plain.label && plain.label[ends[0].node], path };
    };
  }

  function best(shares) {
    let found = 0;
    for (let k = 1; k < shares.length; k++) if (shares[k] > shares[found] + TIE) found = k;
    return found;
  }

  function greatest(shares) {
    let found = 0;
    for (let k = 1; k < shares.length; k++) if (shares[k] > shares[found]) found = k;
    return found;
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

  // A part is [coefficient, factors], a factor [column, fill, power] or [column, table]; or [table, column]: what is
  // added by code. The last entry of a table is for a missing value.
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
      const answer = equation(values);
      if (!Number.isFinite(answer)) throw new RangeError("values so large that the equation has no finite answer");
      return { shares: [answer], path: [] };
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
      answer: (values) => {
        const found = exceptions && exceptions(values);
        if (found && found.fired >= 0) return { shares: found.shares, label: found.label, place: found.path[0].place };
        let shares = plain.shares;
        if (equation) {
          const answer = equation(values);
          shares = [Number.isFinite(answer) ? answer : plain.shares[0]];
        }
        return { shares, label: plain.label, place: [] };
      },
    };
  }

  function listOf(plain) {
    const rules = plain.rules.map(ruleOf), fallback = plain.default && ruleOf(plain.default);

    function first(values) {
      const fired = rules.findIndex((rule) => rule.holds(values) >= FIRES);
      return fired < 0 ? byDefault(values) : told(fired, rules[fired].answer(values));
    }

    function told(fired, answer) {
      const path = [{ node: fired, weight: 1, place: [fired].concat(answer.place) }];
      return { shares: answer.shares, label: answer.label, fired, path };
    }

    function byDefault(values) {
      if (fallback) return told(-1, fallback.answer(values));
      return { shares: plain.nothing.map(Number), label: -1, fired: -1, path: [] };
    }

    function weighted(values) {
      const remaining = plain.decide === "remaining", path = [], sums = plain.nothing.map(() => 0);
      let total = 0, left = 1, most = 0, fired = -1, label = -1;
      for (let place = 0; place < rules.length + (remaining && fallback ? 1 : 0); place++) {
        const rule = place < rules.length ? rules[place] : fallback;
        let weight = place < rules.length ? rule.holds(values) : left > LEAST_SHARE ? 1 : 0;
        if (remaining) {
          weight *= left;
          left -= weight;
        }
        if (!(weight > 0)) continue;
        const answer = rule.answer(values), node = place < rules.length ? place : -1;
        answer.shares.forEach((share, k) => (sums[k] += weight * share));
        total += weight;
        path.push({ node, weight, place: [node].concat(answer.place) });
        label = answer.label;
        if (weight > most) [most, fired] = [weight, node];
      }
      if (!path.length) return byDefault(values);
      const shares = sums.map((sum) => sum / total);
      for (const step of path) step.weight /= total;
      return { shares, label: path.length > 1 ? best(shares) : label, fired, path };
    }

    return plain.decide === "first" ? first : weighted;
  }

  // ---- several models together ----

  function intervalsOf(plain) {
    const classifier = modelOf(plain.classifier);
    return (values) => {
      const { shares, path } = classifier(values);
      let sum = 0, total = 0;
      shares.forEach((share, k) => {
        sum += share * plain.values[k];
        total += share;
      });
      return { shares: [total > 0 ? sum : plain.default], path };
    };
  }

  function ensembleOf(plain) {
    const members = plain.members.map(modelOf);
    return (values) => {
      const sums = plain.default.map(() => 0);
      let count = 0, least = Infinity, greatest = -Infinity;
      for (const member of members) {
        const answer = member(values);
        let shares = answer.shares;
        if (plain.decide === "vote") shares = sums.map((_, k) => (k === answer.label ? 1 : 0));
        const there = plain.classes ? shares.reduce((sum, share) => sum + share, 0) > 0 : shares[0] === shares[0];
        if (!there) continue;
        shares.forEach((share, k) => (sums[k] += share));
        least = Math.min(least, shares[0]);
        greatest = Math.max(greatest, shares[0]);
        count++;
      }
      const shares = count ? sums.map((sum) => sum / count) : plain.default;
      // a mean of numbers lies between the least and the greatest, whatever the sum rounds or overflows to
      if (count && !plain.classes) shares[0] = Math.min(Math.max(shares[0], least), greatest);
      return { shares, label: best(shares), path: [] };
    };
  }

  function forestOf(plain) {
    // what takes the first branch: numbers up to a cut, or some codes
    const asked = plain.asked.map((asked) => (Array.isArray(asked) ? new Set(asked) : Number(asked)));

    function leafOf(root, values) {
      let node = root;
      while (plain.first[node] >= 0) {
        const value = values[plain.column[node]];
        let second = plain.missing[node];
        if (value === value) second = asked[node] instanceof Set ? !asked[node].has(value) : value > asked[node];
        node = plain.first[node] + Number(second);
      }
      return node;
    }

    return (values) => {
      const about = plain.unit !== undefined; // values are distances from the base
      let sums = plain.base.map((base) => (about ? 0 : base));
      const path = plain.roots.map((root, tree) => {
        const node = leafOf(root, values), value = plain.value[node], to = plain.output ? plain.output[tree] : 0;
        value.forEach((part, k) => (sums[to + k] += Math.fround(part)));
        return { node, weight: 1, tree };
      });
      if (plain.mean) sums = sums.map((sum) => sum / plain.roots.length);
      if (about) sums = sums.map((sum, k) => sum * Number(plain.unit) + plain.base[k]);
      if (plain.mean && sums.length > 1) {
        const total = sums.reduce((sum, share) => sum + share, 0);
        sums = sums.map((share) => share / total);
      }
      const shares = linked(sums, plain.link);
      return { shares, label: greatest(shares), path };
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
    const total = raised.reduce((sum, share) => sum + share, 0);
    return raised.map((share) => share / total);
  }

  // ---- from shares to an answer ----

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

  function leastCost(shares, costs) {
    const expected = costs.map((_, answer) => shares.reduce((sum, share, k) => sum + share * costs[k][answer], 0));
    const slack = NEAR * Math.max(...costs.map((row) => Math.max(...row)));
    const least = Math.min(...expected) + slack;
    return expected.findIndex((cost) => cost <= least);
  }

  function decided(found) {
    let { shares, label } = found;
    const decide = script.decide || {};
    if (decide.overall && !(shares.reduce((sum, share) => sum + share, 0) > 0)) shares = decide.overall;
    if (decide.costs) label = leastCost(shares, decide.costs);
    else if (decide.threshold !== undefined) label = shares[1] >= decide.threshold - NEAR ? 1 : 0;
    else if (label < 0 && decide.always) label = greatest(shares);
    return { shares, label };
  }

  const model = modelOf(script.model);

  function predict(row) {
    const found = model(valuesOf(row));
    if (target.kind === "numeric") {
      return { answer: found.shares[0] === found.shares[0] ? found.shares[0] : null, shares: null, path: found.path };
    }
    const { shares, label } = decided(found);
    const named = Object.create(null); // a class may be called __proto__
    target.categories.forEach((name, code) => (named[name] = shares[code]));
    return { answer: label >= 0 ? target.categories[label] : null, shares: named, path: found.path };
  }

  return Object.freeze({ columns: Object.freeze(columns), target, predict });
})
