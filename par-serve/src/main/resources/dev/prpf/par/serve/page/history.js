// Moments that ran in this visit, and what my τ would change of them.

import { byId, columns, count, el, probability, said } from './dom.js';

const gate = (p, tau) => (p >= tau ? 'opens' : 'shut');

/** Draws the table; `entries` are {title, result}. */
export function drawHistory(entries, mine) {
  const usable = entries.filter(({ result }) => typeof result.p_trigger === 'number');
  if (usable.length === 0) {
    return;
  }
  const changed = mine === null ? 0 : usable.filter(({ result: { p_trigger: p, threshold } }) => gate(p, threshold) !== gate(p, mine)).length;
  const note = mine === null ? 'Move my τ in the gate to see what would change.' : `At τ = ${probability(mine)} the gate would decide otherwise on ${changed} of ${count(usable.length, 'moment')}.`;
  byId('history').replaceChildren(
    el('p', { id: 'changed' }, note),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of moments' }, el('table', {},
      columns(['Moment', 'p_trigger', 'τ', 'Gate', 'At my τ', 'Recommended'], 1, 2),
      el('tbody', {}, ...usable.map(({ title, result }) => row(title, result, mine))))));
}

function row(title, result, mine) {
  const now = gate(result.p_trigger, result.threshold);
  const then = mine === null ? '–' : gate(result.p_trigger, mine);
  return el('tr', { class: mine !== null && then !== now ? 'changed' : null },
    said('th', title, { scope: 'row' }),
    el('td', { class: 'number' }, probability(result.p_trigger)),
    el('td', { class: 'number' }, probability(result.threshold)),
    el('td', {}, now),
    el('td', {}, mine !== null && then !== now ? el('strong', {}, `${then} (a change)`) : then),
    said('td', result.recommendations?.[0]?.instruction ?? '–'));
}
