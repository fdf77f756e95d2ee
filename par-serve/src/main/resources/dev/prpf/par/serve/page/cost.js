// What a moment cost, and what silence spared.

import { columns, count, el, flops, seconds } from './dom.js';

const PARTS = { frame_encoder: 'Screenshots', text_encoder: 'Texts', fusion: 'Gate', prefill: 'Prefill', decode: 'Decode', total: 'Total' };

const known = (values) => values.filter((value) => typeof value === 'number');

const sum = (values) => values.reduce((a, b) => a + b, 0);

/** What reasoning took in a result, or null where it is not known. */
function reasoning({ cost }, unit) {
  const parts = known([cost?.[unit]?.prefill, cost?.[unit]?.decode]);
  return parts.length === 2 ? sum(parts) : null;
}

/** Parameters of reasoners that an estimate is made for, in units of 1e9. */
const SIZES = [0.6, 4, 9];

const mean = (values) => (values.length === 0 ? null : sum(values) / values.length);

/** Mean tokens, operations and seconds of the results that reached the language model; null where there are none. */
export function meanReasoning(results) {
  const reached = results.filter((result) => result.route === 'reasoned');
  return {
    n: reached.length,
    tokens: mean(known(reached.map(({ cost }) => (cost?.prompt_tokens ?? NaN) + (cost?.new_tokens ?? NaN))).filter(Number.isFinite)),
    seconds: mean(known(reached.map((result) => reasoning(result, 'seconds')))),
  };
}

/** The operations that silence spares with a reasoner of that size: two for each parameter and token. */
export const sparedBy = (billions, tokens, silent) => 2 * billions * 1e9 * tokens * silent;

function spared(results) {
  const silent = results.filter((result) => result.route === 'silent').length;
  const headline = el('p', { class: 'saving' }, el('strong', {}, `${silent} of ${count(results.length, 'moment')}`), ' never reached the language model.');
  const { n, tokens, seconds: time } = meanReasoning(results);
  if (silent === 0) {
    return [headline];
  }
  if (tokens === null) {
    return [headline, el('p', { class: 'note' }, 'An estimate of the saving appears after a moment that reaches it.')];
  }
  const here = time === null ? '' : ` Here that spared about ${seconds(time * silent)}.`;
  return [headline,
    el('table', { class: 'narrow' }, el('caption', {}, 'Estimate of the operations spared, by size of the language model'),
      columns(SIZES.map((size) => `${size} B`), 0, 1, 2),
      el('tbody', {}, el('tr', {}, ...SIZES.map((size) => el('td', { class: 'number' }, flops(sparedBy(size, tokens, silent))))))),
    el('p', { class: 'note' }, `Two operations for each parameter and token, at ${Math.round(tokens)} tokens: the mean of ${count(n, 'moment')} of this visit that reached it.${here}`)];
}

/** Nodes for one result; `clock` is what this browser measured, in seconds; `results` are all of this visit. */
export function costOf(result, clock, results) {
  const { cost } = result;
  const fact = (name, value) => el('div', {}, el('dt', {}, name), el('dd', {}, value));
  return [
    ...spared(results),
    el('dl', { class: 'facts' },
      fact('Server time', seconds(cost?.seconds?.total)),
      fact('Time to the first event, here', seconds(clock.first)),
      fact('Time to the result, here', seconds(clock.last)),
      fact('Operations', flops(cost?.flops?.total)),
      fact('Prompt / response tokens', `${cost?.prompt_tokens ?? 'not known'} / ${cost?.new_tokens ?? 'not known'}`)),
    el('details', {}, el('summary', {}, 'By part'),
      el('table', {}, columns(['Part', 'Operations', 'Time'], 1, 2),
        el('tbody', {}, ...Object.entries(PARTS).map(([key, name]) => el('tr', {}, el('th', { scope: 'row' }, name),
          el('td', { class: 'number' }, flops(cost?.flops?.[key])), el('td', { class: 'number' }, seconds(cost?.seconds?.[key]))))))),
  ];
}
