// The page's course: choose a moment, run it, show what comes.

import { ApiError, call, events, hasKey, keepKey } from './api.js';
import { byId, el, isChinese, probability, said } from './dom.js';
import { exampleMoment, referenceOf } from './records.js';
import { Editor } from './editor.js';
import { clearPerception, drawGauge, drawPerception } from './gate.js';
import { clearAnswer, drawResult, recommendationOf, Writing } from './answer.js';
import { asCurl, asPython, copy, show } from './copy.js';
import { costOf } from './cost.js';
import { drawHistory } from './history.js';
import { drawJudgement } from './judge.js';
import { Replay } from './replay.js';

const FOLDER = 'playground/';
const GROUPS = { zh: 'Chinese', en: 'English' };
const NOTHING = 'Nothing has run on this moment yet.';
const NO_EXAMPLES = 'This server has no examples. Below, under “Edit the moment”, add a text step or paste a record. Then press Recommend.';
const READS = 'The perceiver reads the moment…';

const state = {
  pool: { functions: [], scenarios: [] },
  examples: [], // {title, group, load: () => moment}
  perception: null,
  mine: null,
  visit: [], // {title, result}
  running: null, // an AbortController
  replaying: false,
};

const user = () => byId('user').value.trim();
const say = (text) => { byId('status').textContent = text; };
const results = () => state.visit.map((entry) => entry.result);

function fail(fault) {
  if (fault.name === 'AbortError') {
    say('Stopped.');
    return;
  }
  if (fault instanceof ApiError && fault.status === 401) {
    byId('key-form').hidden = false;
    byId('key').focus();
  }
  say('');
  byId('error').textContent = fault.message;
}

const calm = () => { byId('error').textContent = ''; };

/** Everything that my τ moves. */
function drawTau() {
  drawGauge(state.perception, state.mine, replay.steps);
  replay.draw(state.mine);
  drawHistory(state.visit, state.mine);
}

function perceived(perception) {
  state.perception = perception;
  if (state.mine === null && typeof perception.threshold === 'number') {
    byId('tau').value = String(perception.threshold);
  }
  drawPerception(perception, state.pool);
  drawTau();
}

const replay = new Replay({
  perceived: (perception, index) => {
    editor.mark(index);
    byId('replay-status').textContent = `Step ${index + 1} of ${replay.trace.length}: p_trigger ${probability(perception.p_trigger)}.`;
    perceived(perception);
  },
});

function showKnown({ answers }) {
  const box = byId('known');
  box.hidden = answers === null;
  if (answers !== null) {
    const acting = answers.filter((answer) => (answer.functions ?? answer.function ?? []).length > 0);
    byId('known-answer').replaceChildren(acting.length === 0 ? el('p', {}, 'Silence.')
      : el('div', {}, ...acting.flatMap((answer) => recommendationOf({ ...answer, functions: answer.functions ?? answer.function }, state.pool))));
  }
}

/** The functions of a moment's answers that this server does not have: it cannot give such an answer. */
function missingFunctions({ answers }) {
  const known = new Set(state.pool.functions.map((spec) => spec.name));
  const wanted = (answers ?? []).flatMap((answer) => answer.functions ?? answer.function ?? []).map((item) => item.name);
  return known.size === 0 ? [] : [...new Set(wanted)].filter((name) => !known.has(name));
}

/** Shows a hint if the known answer needs missing functions, if the language is not that of the functions, or if there are no examples. */
function drawHint(moment) {
  if (state.examples.length === 0 && moment.steps.length === 0) {
    byId('hint').textContent = NO_EXAMPLES;
    return;
  }
  const missing = missingFunctions(moment);
  byId('hint').textContent = missing.length === 0 ? languageHint(moment)
    : `The known answer calls ${missing.join(', ')}, which this server does not have. Open records of your own below.`;
}

function languageHint({ profile, phone, world, steps }) {
  const mine = isChinese([profile, phone, world, ...steps.map((item) => item.text ?? '')]);
  const served = isChinese(state.pool.functions.map((spec) => spec.description));
  const name = (chinese) => (chinese ? 'Chinese' : 'not Chinese');
  return mine === null || served === null || mine === served ? ''
    : `This text is ${name(mine)}; the functions of this server are described in ${served ? 'Chinese' : 'another language'}. Its models were probably trained on that, so expect a poor answer.`;
}

const editor = new Editor({
  changed: (moment) => {
    state.running?.abort();
    state.perception = null;
    clearPerception(NOTHING);
    clearAnswer(NOTHING);
    byId('cost').replaceChildren(el('p', { class: 'empty' }, NOTHING));
    byId('copied').textContent = '';
    showKnown(moment);
    drawHint(moment);
    replay.forget();
    byId('replay-status').textContent = '';
    editor.mark(-1);
    drawReplayButtons();
    drawTau();
  },
  opened: (moments) => {
    calm();
    const first = state.examples.length;
    moments.forEach((moment) => state.examples.push({ title: moment.title, group: 'Your records', load: async () => moment }));
    drawExamples(first);
    say(`${moments.length === 1 ? 'The record is' : `${moments.length} records are`} open; choose among them above.`);
    return choose(first);
  },
  failed: fail,
});

function drawExamples(chosen) {
  byId('examples').hidden = state.examples.length === 0;
  const groups = new Map();
  state.examples.forEach(({ title, group }, i) => groups.set(group, [...(groups.get(group) ?? []), said('option', title, { value: i, selected: i === chosen })]));
  byId('example').replaceChildren(...[...groups].map(([label, options]) => el('optgroup', { label }, ...options)));
}

async function choose(index) {
  calm();
  try {
    editor.load(await state.examples[index].load());
  } catch (fault) {
    fail(fault);
  }
}

function setRunning(controller) {
  state.running = controller;
  const stop = byId('stop');
  const focused = document.activeElement === stop;
  stop.disabled = controller === null;
  for (const id of ['recommend', 'perceive']) {
    byId(id).setAttribute('aria-disabled', String(controller !== null));
  }
  if (focused && controller === null) {
    byId('recommend').focus();
  }
}

/** One piece of work at a time, which Stop ends. */
async function exclusively(work) {
  if (state.running !== null) {
    return;
  }
  calm();
  const controller = new AbortController();
  setRunning(controller);
  try {
    await work(controller.signal);
  } catch (fault) {
    fail(fault);
  } finally {
    setRunning(null);
  }
}

async function decide(moment, recommendation, accepted) {
  const verb = accepted ? 'Accepted' : 'Rejected';
  try {
    const receipt = await call('POST', `v1/users/${encodeURIComponent(user())}/feedback`, { moment, recommendation, accepted });
    const record = receipt?.kept === true ? `The server keeps it as feedback of ${user()}.` : `It counts, but no record is kept (${receipt?.why ?? 'the server does not say why'}).`;
    return { taken: true, text: `${verb}. ${record}` };
  } catch (fault) {
    const none = fault instanceof ApiError && fault.code === 'unknown_path';
    return { taken: false, text: none ? 'This server takes no feedback.' : `Not taken: ${fault.message}` };
  }
}

/** Follows a stream of events to its result. */
async function follow(path, body, moment, signal, answers = null) {
  state.perception = null;
  const begun = performance.now();
  const clock = { first: null, last: null };
  const writing = new Writing();
  const { title } = editor.moment;
  clearPerception(READS);
  clearAnswer('Waiting…');
  say(READS);
  try {
    for await (const { event, data } of events(path, body, signal)) {
      clock.last = (performance.now() - begun) / 1000;
      clock.first ??= clock.last;
      if (event === 'perception') {
        perceived(data);
        say(data.trigger ? 'The reasoner reads the moment…' : 'The gate is shut.');
      } else if (event === 'delta') {
        writing.add(data);
      } else if (event === 'result') {
        finish({ title, answers, result: data, moment, clock });
      }
    }
  } catch (fault) {
    clearAnswer('There is no answer.');
    if (state.perception === null) {
      clearPerception('Nothing was perceived.');
    }
    throw fault;
  } finally {
    writing.tell();
  }
}

function finish({ title, answers, result, moment, clock }) {
  state.visit.push({ title, result });
  perceived(result);
  say(drawResult(result, state.pool, (recommendation, accepted) => decide(moment, recommendation, accepted)));
  drawJudgement(answers, result.silence ? [] : result.recommendations);
  byId('cost').replaceChildren(...costOf(result, clock, results()));
}

function request(extra = {}) {
  const body = { user: user(), ...referenceOf(editor.moment), ...extra };
  if (byId('send-tau').checked && state.mine !== null) {
    body.threshold = state.mine;
  }
  return body;
}

function recommend(signal) {
  const passive = byId('passive').checked;
  const answers = missingFunctions(editor.moment).length === 0 ? editor.moment.answers : null;
  return follow('v1/recommend', request({ stream: true, ...(passive ? { passive } : {}) }), referenceOf(editor.moment), signal, answers);
}

async function perceive(signal) {
  const body = request();
  clearPerception(READS);
  say(READS);
  try {
    perceived(await call('POST', 'v1/perceive', body, { signal }));
    say('');
  } catch (fault) {
    clearPerception('Nothing was perceived.');
    throw fault;
  }
}

function drawReplayButtons() {
  const open = replay.session !== null;
  byId('replay-all').textContent = state.replaying ? 'Pause' : open && !replay.done ? 'Go on' : 'Replay all';
  byId('replay-ask').disabled = !open || replay.steps.length === 0;
  byId('replay-end').disabled = !open;
}

/** Sends steps until the end, or until it is paused. */
async function advance(all) {
  if (state.replaying) {
    state.replaying = false; // it was Pause
    return;
  }
  await exclusively(async (signal) => {
    state.replaying = all;
    try {
      if (replay.session === null || replay.done) {
        await replay.begin(editor.moment, user());
      }
      do {
        drawReplayButtons();
        await replay.step();
      } while (state.replaying && !replay.done && !signal.aborted);
    } finally {
      state.replaying = false;
      drawReplayButtons();
    }
  });
}

/** What the page has of a moment that the session reached: the steps that were sent. */
function reached() {
  const { trace, ...context } = referenceOf(editor.moment);
  return { ...context, trace: trace.slice(0, replay.steps.length) };
}

function ask(signal) {
  const query = byId('query').value.trim();
  const path = `v1/sessions/${encodeURIComponent(replay.session.id)}/ask`;
  return follow(path, { stream: true, ...(query === '' ? {} : { query }) }, reached(), signal);
}

/** The request of Recommend, without the stream. */
function copyAs(name, write) {
  calm();
  try {
    const passive = byId('passive').checked;
    return copy(name, write(new URL('v1/recommend', location.href).href, request(passive ? { passive } : {}), hasKey()));
  } catch (fault) {
    return fail(fault);
  }
}

/** A link cannot send the key, so the dialog shows the document. */
async function openDocument(event) {
  if (hasKey()) {
    event.preventDefault();
    calm();
    try {
      show('API document', el('pre', { tabindex: '0' }, JSON.stringify(await call('GET', 'openapi.json'), null, 2)));
    } catch (fault) {
      fail(fault);
    }
  }
}

async function endReplay() {
  await exclusively(() => replay.end());
  drawReplayButtons();
  byId('replay-all').focus();
}

/** The pool is the server's own and needs its key; an answer of 401 asks for one. */
async function loadPool() {
  try {
    state.pool = await call('GET', `${FOLDER}pool.json`);
    byId('key-form').hidden = true;
    showKnown(editor.moment);
    drawHint(editor.moment);
    const { gate, reasoner } = state.pool.server;
    byId('server').textContent = `Gate: ${gate ?? 'none'}. Reasoner: ${reasoner ?? 'none'}.`;
    const { version } = await call('GET', 'version');
    byId('version').textContent = `Version ${version.replace(/^([0-9a-f]{12})[0-9a-f]{28}$/, '$1')}.`;
    await chooseFirst();
  } catch (fault) {
    fail(fault);
  }
}

async function loadExamples() {
  const examples = await call('GET', `${FOLDER}examples.json`);
  state.examples = examples.map((example) => ({ ...example, group: GROUPS[example.language] ?? 'Records of this cascade', load: () => exampleMoment(example, FOLDER) }));
  drawExamples(0);
  if (state.examples.length > 0) {
    await choose(0);
  } else {
    byId('editor').open = true;
  }
}

/** Shows the first example in the server's language, and runs it. */
async function chooseFirst() {
  const language = isChinese(state.pool.functions.map((spec) => spec.description)) === false ? 'en' : 'zh';
  const first = Math.max(0, state.examples.findIndex((example) => example.language === language));
  if (state.visit.length > 0 || state.running !== null || state.examples.length === 0) {
    return; // somebody was faster
  }
  if (first !== Number(byId('example').value)) {
    drawExamples(first);
    await choose(first);
  }
  if (state.pool.server.gate !== null || state.pool.server.reasoner !== null) {
    await exclusively(recommend);
  }
}

function listen() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  on('run-form', 'submit', (event) => {
    event.preventDefault();
    exclusively(recommend);
  });
  on('perceive', 'click', () => exclusively(perceive));
  on('stop', 'click', () => state.running?.abort());
  on('example', 'change', () => choose(Number(byId('example').value)));
  on('key-form', 'submit', (event) => {
    event.preventDefault();
    keepKey(byId('key').value.trim());
    byId('key').value = '';
    calm();
    loadPool();
  });
  on('tau', 'input', () => {
    state.mine = Number(byId('tau').value);
    drawTau();
  });
  on('tau-reset', 'click', () => {
    state.mine = null;
    if (typeof state.perception?.threshold === 'number') {
      byId('tau').value = String(state.perception.threshold);
    }
    drawTau();
  });
  on('replay-all', 'click', () => advance(true));
  on('replay-step', 'click', () => advance(false));
  on('ask-form', 'submit', (event) => {
    event.preventDefault();
    exclusively(ask);
  });
  on('copy-curl', 'click', () => copyAs('curl', asCurl));
  on('copy-python', 'click', () => copyAs('Python', asPython));
  on('document', 'click', openDocument);
  on('dialog-close', 'click', () => byId('dialog').close());
  on('replay-end', 'click', endReplay);
}

listen();
byId('editor').open = matchMedia('(min-width: 60rem)').matches;
await loadExamples().catch(fail);
await loadPool();
