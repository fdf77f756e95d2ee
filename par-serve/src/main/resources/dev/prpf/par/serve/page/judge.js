// The example's own answer against the one that came.

import { byId, el, said } from './dom.js';

const acting = (answers) => (answers ?? []).map((item) => ({ ...item, functions: item.functions ?? item.function ?? [] })).filter((item) => item.functions.length > 0);

/** A value whose text does not depend on the order of keys. */
const ordered = (value) => (value === null || typeof value !== 'object' ? value
  : Array.isArray(value) ? value.map(ordered) : Object.fromEntries(Object.keys(value).sort().map((key) => [key, ordered(value[key])])));

const same = (one, other) => JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
const calls = (item) => item.functions.map(({ name, parameters }) => ({ name, parameters: parameters ?? {} }));
const names = (item) => item.functions.map(({ name }) => name);

/** The verdict on a first recommendation: alternatives of the example count, calls are compared exactly. */
export function judge(expected, got) {
  const wanted = acting(expected);
  const [first] = acting(got);
  if (first === undefined || wanted.length === 0) {
    const right = first === undefined && wanted.length === 0;
    const wrong = first === undefined ? 'silence where help was expected' : 'help where silence was expected';
    return { right, text: right ? 'right: silence' : `wrong: ${wrong}` };
  }
  if (wanted.some((item) => same(calls(item), calls(first)))) {
    return { right: true, text: 'right' };
  }
  return { right: false, text: wanted.some((item) => same(names(item), names(first))) ? 'wrong values; the function is right' : 'wrong function' };
}

function line(name, answers) {
  const [first] = acting(answers);
  const call = first === undefined ? null : first.functions.map(({ name: of, parameters }) => `${of}(${Object.values(parameters ?? {}).join(', ')})`).join(', ');
  return el('div', {}, el('dt', {}, name), first === undefined ? el('dd', {}, 'silence') : el('dd', {}, said('span', first.instruction ?? ''), ' ', said('code', call)));
}

/** Shows expected, got, and right or wrong; nothing for a moment without an answer of its own. */
export function drawJudgement(expected, got) {
  if (expected === null) {
    byId('judged').replaceChildren();
    return;
  }
  const { right, text } = judge(expected, got);
  const [first] = acting(got);
  const matched = right && first !== undefined ? acting(expected).filter((item) => same(calls(item), calls(first))) : expected;
  byId('judged').replaceChildren(el('dl', { class: 'judged' }, line('Expected', matched), line('Got', got),
    el('div', { class: right ? 'right' : 'wrong' }, el('dt', {}, 'Verdict'), el('dd', {}, `${right ? '✓' : '✗'} ${text}`))));
}
