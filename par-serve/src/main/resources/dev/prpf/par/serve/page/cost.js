// What a moment cost, and what silence spared.

import { columns, count, el, flops, seconds } from './dom.js';

const PARTS = { frame_encoder: 'Screens', text_encoder: 'Texts', fusion: 'Perceiver', prefill: 'Reasoner reads', decode: 'Reasoner writes', total: 'Total' };

const known = (values) => values.filter((value) => typeof value === 'number');

const sum = (values) => values.reduce((a, b) => a + b, 0);

/** What reasoning took in a result, or null where it is not known. */
function reasoning({ cost }, unit) {
  const parts = known([cost?.[unit]?.prefill, cost?.[unit]?.decode]);
  return parts.length === 2 ? sum(parts) : null;
}

/** The mean cost of reasoning over results that were reasoned about. */
export function meanReasoning(results, unit) {
  const costs = known(results.filter((result) => result.route === 'reasoned').map((result) => reasoning(result, unit)));
  return costs.length === 0 ? null : { mean: sum(costs) / costs.length, n: costs.length };
}

function spared(result, results) {
  if (result.route !== 'silent') {
    return 'The gate opened, so it spared nothing here.';
  }
  const work = meanReasoning(results, 'flops');
  const time = meanReasoning(results, 'seconds');
  if (work === null) {
    return 'The reasoner did not run. What that spared is not known: no moment of this visit was reasoned about yet.';
  }
  const duration = time === null ? '' : ` and ${seconds(time.mean)}`;
  return `The reasoner did not run. That spared about ${flops(work.mean)}${duration}: an estimate, the mean of reading and writing over ${count(work.n, 'moment')} of this visit that ${work.n === 1 ? 'was' : 'were'} reasoned about.`;
}

function total(results) {
  const spent = sum(known(results.map((result) => result.cost?.flops?.total)));
  const silent = results.filter((result) => result.route === 'silent').length;
  const work = meanReasoning(results, 'flops');
  const saved = work === null || silent === 0 ? '' : `; spared about ${flops(work.mean * silent)} by ${count(silent, 'silence')}`;
  return `This visit: ${flops(spent)} spent on ${count(results.length, 'moment')}${saved}.`;
}

/** Nodes for one result; `clock` is what this browser measured, in seconds; `results` are all of this visit. */
export function costOf(result, clock, results) {
  const { cost } = result;
  const fact = (name, value) => el('div', {}, el('dt', {}, name), el('dd', {}, value));
  return [
    el('dl', { class: 'facts' },
      fact('Server time', seconds(cost?.seconds?.total)),
      fact('Time to the first event, here', seconds(clock.first)),
      fact('Time to the result, here', seconds(clock.last)),
      fact('Operations', flops(cost?.flops?.total)),
      fact('Tokens read / written', `${cost?.prompt_tokens ?? 'not known'} / ${cost?.new_tokens ?? 'not known'}`)),
    el('p', {}, spared(result, results)),
    el('p', { class: 'note' }, total(results)),
    el('details', {}, el('summary', {}, 'By part'),
      el('table', {}, columns(['Part', 'Operations', 'Time'], 1, 2),
        el('tbody', {}, ...Object.entries(PARTS).map(([key, name]) => el('tr', {}, el('th', { scope: 'row' }, name),
          el('td', { class: 'number' }, flops(cost?.flops?.[key])), el('td', { class: 'number' }, seconds(cost?.seconds?.[key]))))))),
  ];
}
