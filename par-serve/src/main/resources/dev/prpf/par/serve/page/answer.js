// The answer: its text as it is written, and the card that a phone would show.

import { byId, el, said } from './dom.js';

const PARTS = { ui_summary: 'What the screens show', thinking: 'Thinking', recommendations: 'Recommendations' };
const SENTENCE = /[。！？!?\n]|\.\s/g;

const REASONS = {
  'below-threshold': 'p_trigger is below τ.',
  'empty-response': 'The reasoner ran and recommends nothing.',
  malformed: 'The response is malformed, so nothing is shown.',
  disabled: 'The policy is switched off: only what the user asks for is answered.',
  'quiet-hours': 'It is within the quiet hours of the policy.',
  'quiet-activity': 'The policy keeps silent during this activity.',
  'cool-down': 'A recommendation was rejected a short while ago.',
  'least-gap': 'The last recommendation was too recent.',
  'daily-limit': 'The daily limit of the policy is reached.',
  'policy-unavailable': 'The policy cannot be read now, so nothing is shown.',
};

/** The text of a response while it comes. A screen reader is told whole sentences, from a log of its own. */
export class Writing {
  constructor() {
    this.parts = new Map();
    this.untold = '';
  }

  add({ part, text }) {
    if (!this.parts.has(part)) {
      this.tell();
      const body = el('p', { class: part === 'recommendations' ? 'text raw' : 'text' });
      byId('written').append(el('section', { class: 'part' }, el('h3', {}, PARTS[part] ?? part), body));
      this.parts.set(part, body);
      this.untold = `${PARTS[part] ?? part}: `;
    }
    const body = this.parts.get(part);
    body.append(text);
    body.lang = /[\u3400-\u9fff]/.test(body.textContent) ? 'zh' : '';
    if (part !== 'recommendations') {
      this.untold += text;
      this.tellSentences();
    }
  }

  tellSentences() {
    const ends = [...this.untold.matchAll(SENTENCE)];
    if (ends.length > 0) {
      const last = ends[ends.length - 1];
      const end = last.index + last[0].length;
      const rest = this.untold.slice(end);
      this.untold = this.untold.slice(0, end);
      this.tell();
      this.untold = rest;
    }
  }

  /** Says what has not been said. */
  tell() {
    if (this.untold.trim() !== '') {
      byId('log').append(said('p', this.untold.trim()));
    }
    this.untold = '';
  }
}

const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function callOf({ name, parameters }, pool) {
  const spec = pool.functions.find((item) => item.name === name);
  return el('div', { class: 'call' },
    el('p', {}, el('code', {}, name), spec?.description ? said('span', spec.description, { class: 'note' }) : null),
    el('dl', {}, ...Object.entries(parameters ?? {}).map(([key, value]) => el('div', {}, el('dt', {}, key), said('dd', shown(value))))));
}

/** A recommendation with its calls. */
export const recommendationOf = ({ instruction, functions }, pool) => [
  said('h3', instruction || 'Without an instruction'),
  ...(functions ?? []).map((call) => callOf(call, pool)),
];

const FEEDBACK = {
  temporary: 'No policy is configured: feedback goes to a temporary folder, until the server stops.',
  none: 'This server keeps no feedback. Start it with --policy to accept and reject.',
};

/** The card; `decide(accepted)` sends the user's decision and says what came of it. */
function card(recommendation, pool, decide) {
  const kind = pool.server?.feedback ?? 'kept';
  const outcome = el('p', { class: 'outcome', role: 'status', tabindex: '-1' });
  const choose = async (accepted) => {
    const buttons = [...actions.children];
    buttons.forEach((item) => item.setAttribute('aria-disabled', 'true'));
    const { taken, text } = await decide(accepted);
    outcome.textContent = text;
    outcome.focus();
    if (taken) {
      actions.remove();
    } else {
      buttons.forEach((item) => item.removeAttribute('aria-disabled'));
    }
  };
  const button = (text, accepted, style) => el('button', { type: 'button', class: style, 'aria-disabled': kind === 'none' ? 'true' : null, click: (event) => {
    if (event.currentTarget.getAttribute('aria-disabled') !== 'true') {
      choose(accepted);
    }
  } }, text);
  const actions = el('div', { class: 'row' }, button('Accept', true, 'primary'), button('Reject', false, null));
  return el('article', { class: 'card', 'aria-label': 'Recommendation' },
    el('p', { class: 'app' }, 'Assistant · now'), ...recommendationOf(recommendation, pool), actions,
    FEEDBACK[kind] === undefined ? null : el('p', { class: 'note' }, FEEDBACK[kind]), outcome);
}

/** Fills the phone with what the result shows, or with silence and its reason. */
export function drawResult(result, pool, decide) {
  const acting = (result.recommendations ?? []).filter((item) => (item.functions ?? []).length > 0);
  const [first, ...further] = result.silence ? [] : acting;
  const reason = REASONS[result.silence] ?? (result.silence ? `Reason: ${result.silence}.` : REASONS['empty-response']);
  byId('device').replaceChildren(first === undefined
    ? el('p', { class: 'quiet' }, el('strong', {}, 'The phone stays silent.'), el('br'), reason)
    : card(first, pool, (accepted) => decide(first, accepted)));
  const notes = [
    further.length === 0 ? null : el('details', {}, el('summary', {}, `Further recommendations (${further.length})`),
      ...further.map((item) => el('div', { class: 'further' }, ...recommendationOf(item, pool)))),
    result.finish === 'length' ? el('p', { class: 'note' }, 'The response was truncated at the server\'s limit.') : null,
    (result.withheld ?? []).length === 0 ? null : el('p', { class: 'note' }, `The policy withheld: ${result.withheld.join(', ')}.`),
    result.response ? el('details', {}, el('summary', {}, 'Raw response'), said('pre', result.response, { tabindex: '0' })) : null,
  ];
  byId('written').append(...notes.filter((note) => note !== null));
  return first === undefined ? `The phone stays silent. ${reason}` : `Recommendation: ${first.instruction}.`;
}

/** Empties the phone and what was written. */
export function clearAnswer(note) {
  byId('device').replaceChildren(el('p', { class: 'quiet' }, note));
  byId('judged').replaceChildren();
  byId('written').replaceChildren();
  byId('log').replaceChildren();
}
