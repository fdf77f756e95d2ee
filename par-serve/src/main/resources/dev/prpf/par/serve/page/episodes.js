// Episodes of a local file: a timeline for each day, and one step at a time. Nothing is sent.

import { byId, el, said, svg } from './dom.js';

const FORMAT = 'prpf-episode/1';
const LANES = ['event', 'silence', 'proposal', 'reply', 'write', 'other'];
const LANE = 18;
const LEFT = 70; // room for the names of the lanes
const RIGHT = 12;
const DAY = 86400;
const PACE = 700; // milliseconds a step while playing

const state = { episodes: [], steps: [], at: 0, timer: null };

const named = (app, name) => [app, name].filter((part) => part !== null).join('.');
const called = (args) => Object.entries(args).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ');

/** Each kind of step: its lane, its title, and its lines, of which empty ones are omitted. */
const KINDS = {
  event: (step) => ['event', step.noise ? 'Event, noise' : 'Event', named(step.app, step.name),
    step.seen.user && `The user sees: ${step.seen.user}`, step.seen.agent && `The assistant sees: ${step.seen.agent}`],
  action: (step) => [step.actor !== 'user' && step.effect === 'write' && step.error === null ? 'write' : 'other',
    `${step.actor === 'user' ? 'User' : 'Assistant'} calls${step.cause === null ? '' : ' (made by the app)'}`,
    `${named(step.app, step.function)}(${called(step.args)})`, step.result && `Result: ${step.result}`, step.error && `Error: ${step.error}`],
  decision: (step) => [step.act === 'silent' ? 'silence' : 'other', step.act === 'silent' ? 'Silence' : `Decision: ${step.act}`,
    step.p !== null && `p ${step.p.toFixed(3)}${step.threshold === null ? '' : `, τ ${step.threshold.toFixed(3)}`}`, step.reason],
  proposal: (step) => ['proposal', 'Proposal', ...(step.texts.length === 0 ? ['The source holds no text.'] : step.texts)],
  reply: (step) => ['reply', { accept: 'Accepted', reject: 'Rejected', ignore: 'Ignored', answer: 'Answered' }[step.answer],
    step.to === null ? 'No proposal was open.' : `Reply to step ${step.to}`, step.text],
  message: (step) => ['other', step.from === 'user' ? 'User' : 'Assistant', step.text],
  intent: (step) => ['other', `Intent ${step.index}: ${step.status}`, step.by && `Decided by ${step.by}`],
  label: (step) => ['other', `Label of step ${step.to}`, step.need !== null && (step.need ? 'Help was wanted.' : 'No help was wanted.'),
    `${step.annotations.filter((yes) => yes).length} of ${step.annotations.length} agree.`],
  check: (step) => ['other', `Check ${step.id}: ${step.value ? 'passed' : 'failed'}`, step.reason],
  end: (step) => ['other', `End: ${step.why}`, step.verdict !== null && (step.verdict ? 'Success' : 'No success')],
};

/** Reads the lines of a file; an error names its line. */
function read(text) {
  const episodes = [];
  let open = null;
  const lines = text.split('\n');
  lines.forEach((line, i) => {
    if (line === '' && i === lines.length - 1) {
      return;
    }
    const fault = (why) => new Error(`Line ${i + 1}: ${why}`);
    let value;
    try {
      value = JSON.parse(line);
    } catch {
      throw fault('is not JSON.');
    }
    if (open === null) {
      if (value?.format !== FORMAT) {
        throw fault(`format is ${JSON.stringify(value?.format)}, must be "${FORMAT}".`);
      }
      open = { header: value, steps: [] };
    } else if (!Object.hasOwn(KINDS, value?.kind) || value.step !== open.steps.length) {
      throw fault(`is not step ${open.steps.length} of a known kind.`);
    } else {
      open.steps.push(value);
      if (value.kind === 'end') {
        episodes.push(open);
        open = null;
      }
    }
  });
  if (open !== null || episodes.length === 0) {
    throw new Error(episodes.length === 0 && open === null ? 'The file holds no episodes.' : `Line ${lines.length}: the episode has no end; the file is truncated.`);
  }
  return episodes;
}

/** The seconds of the clock at the start, in the time zone of the file; null without a clock. */
function startOf({ start, clock }) {
  const match = /T(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?/.exec(start ?? '');
  return match === null || clock === 'order' ? null : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0);
}

const two = (n) => String(n).padStart(2, '0');
const clockTime = (s, fine) => `${two(Math.floor(s / 3600) % 24)}:${two(Math.floor(s / 60) % 60)}${fine ? `:${two(Math.floor(s) % 60)}` : ''}`;

/** Adds to each step its day, its place within the day, its lane and its texts. */
function prepared({ header, steps }) {
  const start = startOf(header);
  let last = 0;
  return steps.map((step) => {
    last = header.clock === 'order' ? step.step : step.t ?? last;
    const seconds = last + (start ?? 0);
    const [lane, title, ...lines] = KINDS[step.kind](step);
    const day = header.clock === 'order' ? 0 : Math.floor(seconds / DAY);
    const time = header.clock === 'order' ? `step ${step.step}` : start === null ? `${Math.round(last)} s` : clockTime(seconds, true);
    return { step, day, place: header.clock === 'order' ? last : seconds - day * DAY, lane, title, lines: lines.filter(Boolean), time };
  });
}

const dayName = (header, day) => {
  const start = /^\d{4}-\d\d-\d\d/.exec(header.start ?? '');
  if (header.clock === 'order') {
    return 'In order';
  }
  return start === null ? `Day ${day + 1}` : new Date(Date.parse(`${start[0]}T00:00Z`) + day * DAY * 1000).toISOString().slice(0, 10);
};

const days = () => [...new Set(state.steps.map(({ day }) => day))];
const ofDay = (day) => state.steps.filter((one) => one.day === day);

function timeline(header, day) {
  const steps = ofDay(day);
  const width = Math.max(280, byId('days').clientWidth);
  const from = steps[0].place;
  const span = Math.max(1, steps[steps.length - 1].place - from);
  const x = (place) => LEFT + ((place - from) / span) * (width - LEFT - RIGHT);
  const bottom = LANES.length * LANE;
  const ticks = width < 600 ? 3 : 7;
  const tick = (i) => from + (span * i) / (ticks - 1);
  const label = (place) => (header.clock === 'order' ? String(Math.round(place)) : clockTime(place, span < 3600));
  const current = state.steps[state.at];
  const counts = LANES.map((lane) => `${lane} ${steps.filter((one) => one.lane === lane).length}`).join(', ');
  const drawing = svg('svg', { role: 'img', class: 'days', viewBox: `0 0 ${width} ${bottom + 20}`, 'aria-label': `${dayName(header, day)}: ${counts}` },
    ...LANES.map((lane, i) => svg('g', { class: 'lane' }, svg('line', { x1: LEFT, x2: width - RIGHT, y1: (i + 0.5) * LANE, y2: (i + 0.5) * LANE }),
      svg('text', { x: 0, y: (i + 0.5) * LANE + 4 }, lane))),
    current.day === day ? svg('line', { class: 'now', x1: x(current.place), x2: x(current.place), y1: 0, y2: bottom }) : null,
    ...steps.map((one) => svg('rect', { class: `mark ${one.lane} ${one.step.answer ?? ''}`, x: x(one.place) - 1.5, y: LANES.indexOf(one.lane) * LANE + 3, width: 3, height: LANE - 6 })),
    ...Array.from({ length: ticks }, (_, i) => svg('text', { class: 'tick', x: x(tick(i)), y: bottom + 14, 'text-anchor': i === ticks - 1 ? 'end' : i === 0 ? 'start' : 'middle' }, label(tick(i)))));
  drawing.addEventListener('click', (event) => {
    const box = drawing.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    go(steps.reduce((best, one) => (Math.abs(x(one.place) - at) < Math.abs(x(best.place) - at) ? one : best)).step.step);
  });
  return el('figure', { 'data-day': day }, el('figcaption', {}, dayName(header, day)), drawing);
}

function drawDays() {
  const { header } = state.episodes[byId('episode').value];
  byId('days').replaceChildren(...days().map((day) => timeline(header, day)));
}

function drawList() {
  const { day } = state.steps[state.at];
  const list = byId('steps');
  if (list.dataset.day !== String(day) || list.children.length !== ofDay(day).length) {
    list.dataset.day = String(day);
    list.start = ofDay(day)[0].step.step;
    list.replaceChildren(...ofDay(day).map((one) => el('li', { click: () => go(one.step.step), 'data-step': one.step.step, class: one.lane },
      el('span', { class: 'note' }, `${one.time} `), el('strong', {}, one.title), ' ', said('span', one.lines.slice(0, 2).join(' · ').slice(0, 160)))));
  }
  list.querySelector('[aria-current]')?.removeAttribute('aria-current');
  const item = list.querySelector(`[data-step="${state.at}"]`);
  item.setAttribute('aria-current', 'step');
  list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
}

/** Shows a step. */
function go(index) {
  const before = state.steps[state.at]?.day;
  state.at = Math.max(0, Math.min(state.steps.length - 1, index));
  const { title, time, lines, lane, day, step } = state.steps[state.at];
  byId('at').value = String(state.at);
  byId('place').textContent = `${state.at} of ${state.steps.length - 1}`;
  byId('shown').replaceChildren(el('p', { class: `kind ${lane}` }, el('strong', {}, title), ` ${time}${step.turn === null ? '' : `, turn ${step.turn}`}`),
    ...lines.map((line) => said('p', line, { class: 'text' })));
  drawDays();
  drawList();
  if (before !== day) {
    byId('days').querySelector(`[data-day="${day}"]`).scrollIntoView({ block: 'nearest' });
  }
  if (state.at === state.steps.length - 1) {
    pause();
  }
}

function pause() {
  clearInterval(state.timer);
  state.timer = null;
  byId('play').textContent = 'Play';
}

function toggle() {
  if (state.timer !== null) {
    pause();
    return;
  }
  if (state.at === state.steps.length - 1) {
    go(0);
  }
  state.timer = setInterval(() => go(state.at + 1), PACE);
  byId('play').textContent = 'Pause';
}

/** Moves to the first step of the next or previous day, which may be in the next or previous episode. */
function goDay(by) {
  const all = days();
  const day = all[all.indexOf(state.steps[state.at].day) + by];
  const other = byId('episode').selectedIndex + by;
  if (day !== undefined) {
    go(ofDay(day)[0].step.step);
  } else if (state.episodes[other] !== undefined) {
    byId('episode').selectedIndex = other;
    choose();
  }
}

function choose() {
  pause();
  const episode = state.episodes[byId('episode').value];
  const { header } = episode;
  state.steps = prepared(episode);
  state.at = 0;
  const replies = (answer) => episode.steps.filter((step) => step.answer === answer).length;
  const lane = (name) => state.steps.filter((one) => one.lane === name).length;
  const facts = { Events: lane('event'), Silences: lane('silence'), Proposals: lane('proposal'), Accepted: replies('accept'), Rejected: replies('reject'), Ignored: replies('ignore'), Writes: lane('write') };
  byId('facts').replaceChildren(...Object.entries(facts).map(([name, n]) => el('div', {}, el('dt', {}, name), el('dd', {}, String(n)))));
  const actors = Object.entries(header.actors).filter(([, model]) => model !== null).map(([role, model]) => `${role}: ${model}`);
  byId('about').textContent = [`Source: ${header.source}`, header.scenario && `scenario: ${header.scenario}`, ...actors, header.goal && `goal: ${header.goal}`].filter(Boolean).join('. ');
  byId('at').max = String(state.steps.length - 1);
  byId('steps').dataset.day = '';
  for (const id of ['choice', 'player', 'step']) {
    byId(id).hidden = false;
  }
  go(0);
}

async function open() {
  const [file] = byId('file').files;
  if (file === undefined) {
    return;
  }
  byId('error').textContent = '';
  try {
    state.episodes = read(await file.text());
    byId('episode').replaceChildren(...state.episodes.map(({ header }, i) => said('option', header.episode, { value: i })));
    choose();
    byId('days').focus();
  } catch (fault) {
    byId('error').textContent = `${file.name}: ${fault.message}`;
  }
}

const KEYS = { ArrowLeft: () => go(state.at - 1), ArrowRight: () => go(state.at + 1), ArrowUp: () => goDay(-1), ArrowDown: () => goDay(1), ' ': toggle, Home: () => go(0), End: () => go(state.steps.length - 1) };

function key(event) {
  const own = event.target.closest('input, select') || (event.key === ' ' && event.target.closest('button, a')) || (event.key.startsWith('Arrow') && event.target.closest('#steps') && /Up|Down/.test(event.key));
  if (state.steps.length > 0 && !own && Object.hasOwn(KEYS, event.key) && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    if (event.key !== ' ') {
      pause();
    }
    KEYS[event.key]();
  }
}

byId('file').addEventListener('change', open);
byId('episode').addEventListener('change', choose);
byId('previous').addEventListener('click', () => { pause(); go(state.at - 1); });
byId('next').addEventListener('click', () => { pause(); go(state.at + 1); });
byId('play').addEventListener('click', toggle);
byId('at').addEventListener('input', () => { pause(); go(Number(byId('at').value)); });
addEventListener('keydown', key);
addEventListener('resize', () => state.steps.length > 0 && drawDays());
