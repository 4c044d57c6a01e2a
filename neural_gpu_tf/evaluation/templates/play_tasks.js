// What is asked: questions to symbols, symbols to answers, and the exact answers.

// A question to symbols, PAD (0) behind them; null if it is none.
function read(model, text) {
  const symbols = READ[model.kind](model, text.trim());
  if (!symbols) return null;
  const columns = symbols.length * model.cells + model.more;
  const blank = Math.ceil(Math.round(columns * model.blank * 1e6) / 1e6);
  return [...symbols, ...Array(columns + blank - symbols.length).fill(0)];
}

const operands = (model, text) =>
  [...model.signs].reduce((asked, sign) => asked.replaceAll(sign, model.operator), text)
    .split(model.operator);
const squeeze = text => text.replace(/\s+/g, "");
const READ = {
  number(model, text) {
    const parts = operands(model, text).map(x => x.trim());
    const isNumber = x => /^[0-9]+$/.test(x) && [...x].every(d => +d < model.base);
    if (parts.length !== 2 || !parts.every(isNumber)) return null;
    const width = Math.max(...parts.map(x => x.length));
    const digits = parts.map(x => [...x.padStart(width, "0")].reverse().map(d => +d + 1));
    return [...digits[0], model.separator, ...digits[1]];
  },
  list(model, text) {
    const words = text.split(/\s+/), isNumber = w => /^[0-9]+$/.test(w) && w.length > model.most;
    if (words.length > 1 && words.some(isNumber)) return null;
    const symbols = [...squeeze(text)].map(c => model.symbols.indexOf(c));
    const grouped = symbols.length && symbols.length % model.group === 0;
    return grouped && !symbols.some(x => x < 1) ? symbols : null;
  },
  string(model, text) {
    const asked = squeeze(text), symbols = [...asked].map(c => model.symbols.indexOf(c));
    if ([...asked].some(c => !model.alphabet.includes(c))) return null;
    return isQuestion(model, asked) ? symbols : null;
  },
};

function isQuestion(model, text) {
  const matches = pattern => RegExp(`^(?:${pattern})$`).test(text);
  if (text.length < model.shortest || !model.patterns.slice(0, -1).every(matches)) return false;
  const [inner, shorter] = model.inner;
  for (let before = ""; inner && text !== before; ) {
    before = text;
    text = text.replace(RegExp(inner, "g"), shorter);
  }
  return matches(model.patterns.at(-1));
}

function write(model, said) {
  const text = said.map(x => model.symbols[x]).join("").replace(/^_+|_+$/g, "");
  if (model.group > 1 && text) return text.match(RegExp(`.{1,${model.group}}`, "g")).join(" ");
  if (model.kind !== "number" || !text) return text || "_";
  return backwards(text).replace(/^0+/, "") || "0";
}

// The exact answer; undefined where this page does not know it.
function exact(model, text) {
  if (model.kind !== "number") return EXACT[model.task]?.(squeeze(text), model);
  const base = BigInt(model.base);
  const value = digits => [...digits.trim()].reduce((sum, d) => sum * base + BigInt(d), 0n);
  const [a, b] = operands(model, text).map(value);
  return (model.operator === "+" ? a + b : a * b).toString(model.base);
}

const twice = text => text + text;
const backwards = text => [...text].reverse().join("");
const count = (text, character) => text.split(character).length - 1;
const sorted = (text, model) =>
  [...text].sort((a, b) => model.symbols.indexOf(a) - model.symbols.indexOf(b)).join("");
// Two binary numbers, the least digit first.
const binary = (text, operator, value) =>
  backwards(value(...text.split(operator).map(x => BigInt("0b" + backwards(x)))).toString(2));

function stack(text) {
  const held = [];
  for (const c of text) c === "p" ? held.pop() : held.push("1i".includes(c) ? 1 : 0);
  return backwards(held.join("")) || "_";
}

function sumOfProducts(text) {
  const product = term => [...term].reduce((p, c) => (c === "*" ? p : (p * +c) % 5), 1);
  const terms = text.match(/[-+]?[^-+]+/g).map(term =>
    term[0] === "-" ? 5 - product(term.slice(1)) : product(term.replace("+", "")));
  return String(terms.reduce((sum, x) => (sum + x) % 5, 0));
}

// An expression in brackets, modulo 5.
function valueOf(text, x) {
  const opened = [];
  let value = 0, sign = 1, factor = false;
  for (const c of text) {
    if (c === "(") {
      opened.push([value, sign, factor]);
      [value, sign, factor] = [0, 1, false];
    } else if (c === "-") sign = -sign;
    else if (c === "*") factor = true;
    else if (c !== "+") {
      let number = c === "x" ? x : +c;
      if (c === ")") {
        number = value;
        [value, sign, factor] = opened.pop();
      }
      value = factor ? value * sign * number : value + sign * number;
      value = ((value % 5) + 5) % 5;
      [sign, factor] = [1, false];
    }
  }
  return value;
}

function solution(text) {
  const [left, right] = text.split("=");
  return String([0, 1, 2, 3, 4].find(x => valueOf(left, x) === +right));
}

function hidden(text) {
  const copies = text.replace(".", ""), half = copies.length / 2;
  return copies[(copies.indexOf("?") + half) % copies.length];
}

function squareRoot(text) {
  const n = BigInt("0b" + text);
  let root = n;
  for (let next = (n + 1n) / 2n; next < root; next = (root + n / root) / 2n) root = next;
  return root.toString(2).padStart(Math.ceil(text.length / 2), "0");
}

const EXACT = {
  rev: backwards,
  dup: twice,
  sort: sorted,
  bsort: sorted,
  "even-pairs": text => String(1 - (count(text, "ab") + count(text, "ba")) % 2),
  "parity-check": text => String(count(text, "b") % 2),
  "cycle-navigation": text => String((((count(text, "+") - count(text, "-")) % 5) + 5) % 5),
  "stack-manipulation": stack,
  "reverse-string": backwards,
  "modular-arithmetic": sumOfProducts,
  "modular-brackets": text => String(valueOf(text)),
  "solve-equation": solution,
  "duplicate-string": twice,
  "missing-duplicate": hidden,
  "odds-first": text => text.replace(/(.).?/g, "$1") + text.replace(/.(.?)/g, "$1"),
  "binary-addition": text => binary(text, "+", (a, b) => a + b),
  "binary-multiplication": text => binary(text, "*", (a, b) => a * b),
  "compute-sqrt": squareRoot,
  "bucket-sort": sorted,
};
