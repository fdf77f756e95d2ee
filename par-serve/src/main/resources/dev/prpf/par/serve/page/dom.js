// Elements and numbers. Text is always put in as text: nothing here reads markup.

const SVG = 'http://www.w3.org/2000/svg';

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      node.addEventListener(name, value);
    } else if (value === true) {
      node.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, String(value));
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element; an attribute whose value is a function is a listener of that event. */
export const el = (name, attributes = {}, ...children) => make(document.createElement(name), attributes, children);

export const svg = (name, attributes = {}, ...children) => make(document.createElementNS(SVG, name), attributes, children);

export const byId = (id) => document.getElementById(id);

/** What a text that is not the page's own is written in, as far as a screen reader needs to know. */
export const languageOf = (text) => (/[\u3400-\u9fff]/.test(text) ? 'zh' : null);

/** Whether texts are mostly Chinese; null where they hold too few letters to tell. */
export function isChinese(texts) {
  const all = texts.join(' ');
  const chinese = (all.match(/[\u3400-\u9fff]/g) ?? []).length;
  const words = (all.match(/\p{L}+/gu) ?? []).filter((word) => !/[\u3400-\u9fff]/.test(word)).length;
  return chinese + words < 4 ? null : chinese > words;
}

/** A text that is not the page's own. */
export const said = (name, text, attributes = {}) => el(name, { lang: languageOf(text), ...attributes }, text);

/** A table's head; columns whose places are given hold numbers. */
export const columns = (names, ...numeric) => el('thead', {}, el('tr', {},
  ...names.map((name, i) => el('th', { scope: 'col', class: numeric.includes(i) ? 'number' : null }, name))));

export const probability = (p) => (typeof p === 'number' ? p.toFixed(2) : 'not known');

export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

const scaled = (value, units) => {
  const [size, unit] = units.find(([least]) => value >= least) ?? units[units.length - 1];
  const number = value / size;
  return `${number >= 100 ? Math.round(number) : Number(number.toPrecision(3))} ${unit}`;
};

export const flops = (value) =>
  typeof value === 'number' ? scaled(value, [[1e12, 'TFLOP'], [1e9, 'GFLOP'], [1e6, 'MFLOP'], [1e3, 'kFLOP'], [1, 'FLOP']]) : 'not known';

export const seconds = (value) =>
  typeof value === 'number' ? (value === 0 ? '0 s' : scaled(value, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']])) : 'not known';
