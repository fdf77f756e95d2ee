// A trajectory sent step by step to a session, and p_trigger drawn over its steps.

import { byId, columns, count, el, probability, svg } from './dom.js';
import { call } from './api.js';
import { referenceOf } from './records.js';

const SIDE = 26;
const TOP = 20; // room for the name of a line at 1
const HEIGHT = 130;
const WIDTH = 360;

const x = (i, n) => SIDE + (n === 1 ? (WIDTH - 2 * SIDE) / 2 : (i * (WIDTH - 2 * SIDE)) / (n - 1));
const y = (p) => TOP + (1 - p) * HEIGHT;
const path = (points) => points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${px.toFixed(1)} ${py.toFixed(1)}`).join(' ');

function scale(p) {
  return svg('g', { class: 'scale' }, svg('line', { x1: SIDE, x2: WIDTH - SIDE, y1: y(p), y2: y(p) }),
    svg('text', { x: SIDE - 6, y: y(p) + 4, 'text-anchor': 'end' }, String(p)));
}

/** p_trigger over the steps, τ as a line and mine dashed. `total` steps have room. */
export function chart(steps, total, mine) {
  const said = steps.map((step) => `${probability(step.p_trigger)}${step.p_trigger >= step.threshold ? ' (opens)' : ''}`).join(', ');
  const place = (i) => x(i, Math.max(total, steps.length));
  const every = Math.ceil(Math.max(total, steps.length) / 12);
  const last = steps[steps.length - 1];
  const level = (p, kind, name, px, anchor) => svg('g', { class: kind },
    svg('line', { x1: SIDE, x2: WIDTH - SIDE, y1: y(p), y2: y(p) }), svg('text', { x: px, y: y(p) - 5, 'text-anchor': anchor }, name));
  return svg('svg', { role: 'img', class: 'chart', viewBox: `0 0 ${WIDTH} ${TOP + HEIGHT + 24}`,
    'aria-label': `p_trigger over ${count(steps.length, 'step')}: ${said}. τ is ${probability(last.threshold)}.` },
    ...[0, 0.5, 1].map(scale),
    level(last.threshold, 'tau', `τ ${probability(last.threshold)}`, SIDE + 4, 'start'),
    mine === null ? null : level(mine, 'mine', `my τ ${probability(mine)}`, WIDTH - SIDE - 4, 'end'),
    svg('path', { class: 'line', d: path(steps.map((step, i) => [place(i), y(step.p_trigger)])) }),
    ...steps.map((step, i) => svg('circle', { class: step.p_trigger >= (mine ?? step.threshold) ? 'open' : 'shut', cx: place(i), cy: y(step.p_trigger), r: 4 })),
    ...steps.map((step, i) => (i % every === 0 ? svg('text', { x: place(i), y: TOP + HEIGHT + 16, 'text-anchor': 'middle' }, String(i + 1)) : null)));
}

function table(steps, mine) {
  return el('details', {}, el('summary', {}, 'As a table'), el('table', { class: 'narrow' },
    columns(['Step', 'p_trigger', 'Gate', 'At my τ'], 1),
    el('tbody', {}, ...steps.map((step, i) => el('tr', {}, el('th', { scope: 'row' }, String(i + 1)),
      el('td', { class: 'number' }, probability(step.p_trigger)),
      el('td', {}, step.p_trigger >= step.threshold ? 'opens' : 'shut'),
      el('td', {}, mine === null ? '–' : step.p_trigger >= mine ? 'opens' : 'shut'))))));
}

/** One session at a time. `perceived(perception, index)` runs after each step. */
export class Replay {
  constructor({ perceived }) {
    this.perceived = perceived;
    this.session = null;
    this.steps = [];
    this.trace = [];
    addEventListener('pagehide', () => this.drop());
  }

  get done() {
    return this.steps.length >= this.trace.length;
  }

  async begin(moment, user) {
    const { trace, ...context } = referenceOf(moment);
    await this.end();
    this.steps = [];
    this.trace = trace;
    this.session = await call('POST', 'v1/sessions', { user, ...context });
  }

  /** Sends the next step. */
  async step() {
    const index = this.steps.length;
    const item = this.trace[index];
    const frame = typeof item === 'string' ? { text: item } : { image: item.picture };
    let perception;
    try {
      perception = await call('POST', `v1/sessions/${encodeURIComponent(this.session.id)}/frames`, frame);
    } catch (fault) {
      this.session = fault.status === 404 ? null : this.session; // it expired
      throw fault;
    }
    this.steps.push(perception);
    this.perceived(perception, index);
  }

  /** Ends the session; what was perceived stays on the page. */
  async end() {
    const ended = this.session;
    this.session = null;
    if (ended !== null) {
      await call('DELETE', `v1/sessions/${encodeURIComponent(ended.id)}`).catch((fault) => {
        if (fault.status !== 404) {
          throw fault;
        }
      });
    }
  }

  /** The page goes: the session is ended without waiting. */
  drop() {
    if (this.session !== null) {
      call('DELETE', `v1/sessions/${encodeURIComponent(this.session.id)}`, undefined, { keepalive: true }).catch(() => {});
    }
  }

  /** Another moment was chosen. */
  forget() {
    this.steps = [];
    this.trace = [];
    this.drop();
    this.session = null;
  }

  draw(mine) {
    const measured = this.steps.filter((step) => typeof step.p_trigger === 'number');
    byId('replay').replaceChildren(...(measured.length === 0 ? [] : [chart(measured, this.trace.length, mine), table(measured, mine)]));
  }
}
