// What the perceiver said: the gauge, the scenarios, the candidate pool, and what another threshold would change.

import { byId, count, el, probability, said, svg } from './dom.js';

const LEFT = 8;
const WIDTH = 304;

/** Silence that the reasoner chose, or fell into, behind an open gate. */
const REASONERS = ['empty-response', 'malformed'];

/** Where a probability lies on a scale of 320 units. */
const at = (p) => LEFT + WIDTH * Math.min(1, Math.max(0, p));

const anchor = (p) => (p < 0.15 ? 'start' : p > 0.85 ? 'end' : 'middle');

const passes = (p, tau) => p >= tau;

/** A line across the scale with its name above or below. */
function mark(p, name, kind, y) {
  return svg('g', { class: kind },
    svg('line', { class: 'halo', x1: at(p), x2: at(p), y1: 18, y2: 46 }),
    svg('line', { x1: at(p), x2: at(p), y1: 18, y2: 46 }),
    svg('text', { x: at(p), y, 'text-anchor': anchor(p) }, `${name} ${probability(p)}`));
}

export function gauge({ p_trigger: p, threshold }, mine) {
  const name = `Gauge: p_trigger ${probability(p)}, threshold τ ${probability(threshold)}` + (mine === null ? '' : `, my τ ${probability(mine)}`);
  return svg('svg', { role: 'img', 'aria-label': name, viewBox: '0 0 320 64', class: 'gauge' },
    svg('rect', { class: 'track', x: LEFT, y: 22, width: WIDTH, height: 20, rx: 4 }),
    svg('rect', { class: passes(p, threshold) ? 'fill open' : 'fill', x: LEFT, y: 22, width: at(p) - LEFT, height: 20, rx: 4 }),
    mark(threshold, 'τ', 'tau', 13),
    mine === null ? null : mark(mine, 'my τ', 'mine', 60));
}

/** p and τ with as many decimals as tell them apart. */
function apart(p, threshold) {
  const digits = [2, 3, 4].find((n) => p === threshold || p.toFixed(n) !== threshold.toFixed(n)) ?? 6;
  return `${p.toFixed(digits)} is ${passes(p, threshold) ? 'at or above' : 'below'} τ ${threshold.toFixed(digits)}`;
}

/** In words, so that colour and place are not all. */
export function verdict({ p_trigger: p, threshold, trigger, silence }) {
  if (typeof p !== 'number') {
    return 'There is no p_trigger: the perceiver did not run, or its answer could not be used.';
  }
  if (!passes(p, threshold)) {
    return `p_trigger ${apart(p, threshold)}: the gate stays shut.`;
  }
  const forbidden = trigger === false || (silence && !REASONERS.includes(silence));
  const held = forbidden ? `, but the policy keeps silent${silence ? ` (${silence})` : ''}` : '';
  return `p_trigger ${apart(p, threshold)}: the gate opens${held}.`;
}

/** What would be different at my τ. */
export function whatIf(mine, perception, replayed) {
  if (mine === null || perception === null) {
    return '';
  }
  const now = passes(perception.p_trigger, perception.threshold);
  const then = passes(perception.p_trigger, mine);
  const moment = `At τ = ${probability(mine)} the gate would ${then ? 'open' : 'stay shut'} for this moment${now === then ? ', as it did' : ': a change'}.`;
  if (replayed.length === 0) {
    return moment;
  }
  const open = (tau) => replayed.filter((step) => passes(step.p_trigger, tau ?? step.threshold)).length;
  return `${moment} In the replay it would open at ${open(mine)} of ${count(replayed.length, 'step')}, against ${open(null)} at the server's.`;
}

function bar(p) {
  const fill = el('span', { class: 'fill' });
  fill.style.setProperty('--p', String(p));
  return el('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
}

/** All scenarios, the likeliest first; those whose functions are candidates are marked. */
export function scenarioTable(scenarios, chosen) {
  const rows = Object.entries(scenarios).sort(([, a], [, b]) => b - a);
  return el('table', { class: 'bars' },
    el('caption', {}, `p of ${count(rows.length, 'scenario')}` + (chosen.size > 0 ? '; ● its functions are candidates' : '')),
    el('tbody', {}, ...rows.map(([name, p]) => el('tr', {},
      said('th', (chosen.has(name) ? '● ' : '') + name, { scope: 'row' }),
      el('td', {}, bar(p)),
      el('td', { class: 'number' }, probability(p))))));
}

/** The candidate functions by scenario. */
export function candidateList(names, pool) {
  const known = new Map(pool.functions.map((spec) => [spec.name, spec]));
  const groups = new Map();
  for (const name of names) {
    const scenario = known.get(name)?.scenario ?? 'no scenario';
    groups.set(scenario, [...(groups.get(scenario) ?? []), name]);
  }
  const of = pool.functions.length > 0 ? ` of ${pool.functions.length}` : '';
  const described = names.filter((name) => known.get(name)?.description);
  return [
    el('h3', {}, `Candidate pool: ${names.length}${of} functions`),
    el('dl', { class: 'pool' }, ...[...groups].map(([scenario, members]) => el('div', {},
      said('dt', scenario), el('dd', {}, ...members.flatMap((name) => [el('code', {}, name), ' ']))))),
    described.length === 0 ? '' : el('details', {}, el('summary', {}, 'What they do'),
      el('ul', {}, ...described.map((name) => el('li', {}, el('code', {}, name), ': ', said('span', known.get(name).description))))),
  ];
}

/** Scenarios that candidates belong to. */
const scenariosOf = (names, pool) => new Set(pool.functions.filter((spec) => names.includes(spec.name)).map((spec) => spec.scenario));

/** Draws what depends on my τ. */
export function drawGauge(perception, mine, replayed) {
  byId('gauge').replaceChildren(...(perception === null || typeof perception.p_trigger !== 'number' ? [] : [gauge(perception, mine)]));
  byId('tau-value').textContent = mine === null ? "the server's" : probability(mine);
  byId('what-if').textContent = whatIf(mine, perception, replayed);
}

/** Draws what does not. */
export function drawPerception(perception, pool) {
  const names = perception.candidate_functions ?? [];
  byId('verdict').classList.remove('empty');
  byId('verdict').textContent = verdict(perception);
  byId('scenarios').replaceChildren(scenarioTable(perception.scenarios ?? {}, scenariosOf(names, pool)));
  byId('candidates').replaceChildren(...(names.length === 0 ? [] : candidateList(names, pool)));
}

export function clearPerception(note) {
  byId('verdict').textContent = note;
  byId('scenarios').replaceChildren();
  byId('candidates').replaceChildren();
}
