// The moment's fields and its trajectory, as the page shows them.

import { byId, count, el, languageOf } from './dom.js';
import { show } from './copy.js';
import { momentsOf, imageStep } from './records.js';

const FIELDS = ['profile', 'phone', 'world'];

/** Keeps one moment. `changed` runs after each change of it, `opened` with moments that were pasted or opened, `failed` with a fault. */
export class Editor {
  constructor({ changed, opened, failed }) {
    this.moment = { title: '', profile: '', phone: '', world: '', steps: [], answers: null };
    this.changed = changed;
    this.opened = opened;
    this.failed = failed;
    for (const name of FIELDS) {
      byId(name).addEventListener('input', () => {
        this.moment[name] = byId(name).value;
        this.touched();
      });
    }
    byId('add-text').addEventListener('click', () => {
      this.moment.steps.push({ text: '' });
      this.draw();
      this.touched();
      byId('trace').lastElementChild.querySelector('textarea').focus();
    });
    byId('use-paste').addEventListener('click', () => this.attempt(() => this.opened(momentsOf(byId('paste').value))));
    byId('files').addEventListener('change', () => this.take([...byId('files').files]).then(() => { byId('files').value = ''; }));
    this.listenForDrops(document);
  }

  async attempt(action) {
    try {
      await action();
    } catch (fault) {
      this.failed(fault);
    }
  }

  listenForDrops(target) {
    const over = (on) => (event) => {
      if ([...event.dataTransfer.types].includes('Files')) {
        event.preventDefault();
        byId('drop').classList.toggle('over', on);
      }
    };
    target.addEventListener('dragover', over(true));
    target.addEventListener('dragleave', over(false));
    target.addEventListener('drop', (event) => {
      over(false)(event);
      this.take([...event.dataTransfer.files]);
    });
  }

  /** Files of records are opened; an image takes the place of a missing one of its name, or becomes the last step. */
  take(files) {
    return this.attempt(async () => {
      for (const file of files) {
        if (file.name.endsWith('.json')) {
          this.opened(momentsOf(await file.text()));
        } else {
          this.place(await imageStep(file));
        }
      }
    });
  }

  place(step) {
    const { steps } = this.moment;
    const gap = steps.findIndex((item) => item.missing?.split('/').pop() === step.name);
    steps.splice(gap < 0 ? steps.length : gap, gap < 0 ? 0 : 1, step);
    this.draw();
    this.touched();
  }

  /** Shows another moment. */
  load(moment) {
    this.moment = { ...moment, steps: [...moment.steps] };
    this.draw();
    this.changed(this.moment);
  }

  /** An edited moment is no longer the record that its answer belongs to. */
  touched() {
    this.moment.answers = null;
    if (!this.moment.title.endsWith(' (edited)')) {
      this.moment.title += ' (edited)';
    }
    this.describe();
    this.changed(this.moment);
  }

  describe() {
    const images = this.moment.steps.filter((item) => item.text === undefined).length;
    byId('summary').textContent = count(this.moment.steps.length, 'step') + (images > 0 ? `, ${count(images, 'screenshot')}` : '');
  }

  draw() {
    for (const name of FIELDS) {
      byId(name).value = this.moment[name];
      byId(name).lang = languageOf(this.moment[name]) ?? '';
    }
    byId('trace').replaceChildren(...this.moment.steps.map((item, index) => this.row(item, index)));
    this.describe();
  }

  row(item, index) {
    const { steps } = this.moment;
    const button = (sign, name, label, action, disabled) =>
      el('button', { type: 'button', class: 'small', 'data-do': name, 'aria-label': label, disabled, click: () => this.edit(action, name, index) }, sign);
    return el('li', {},
      this.content(item, index),
      el('div', { class: 'tools' },
        button('↑', 'up', `Move step ${index + 1} up`, () => steps.splice(index - 1, 0, ...steps.splice(index, 1)), index === 0),
        button('↓', 'down', `Move step ${index + 1} down`, () => steps.splice(index + 1, 0, ...steps.splice(index, 1)), index === steps.length - 1),
        button('✕', 'remove', `Remove step ${index + 1}`, () => steps.splice(index, 1), false)));
  }

  content(item, index) {
    if (item.image !== undefined) {
      const name = `Step ${index + 1}: screenshot ${item.name}`;
      const image = () => el('img', { src: item.image, alt: name });
      return el('button', { type: 'button', class: 'enlarge', 'aria-label': `Enlarge: ${name}`, click: () => show(name, image()) }, image());
    }
    if (item.missing !== undefined) {
      return el('p', { class: 'missing' }, `Screenshot missing: ${item.missing}`);
    }
    const area = el('textarea', { rows: 1, 'aria-label': `Step ${index + 1}`, lang: languageOf(item.text), input: () => {
      item.text = area.value;
      this.touched();
    } });
    area.value = item.text;
    return area;
  }

  /** After a step moved or went, the focus stays with it, or with the list. */
  edit(action, name, index) {
    action();
    this.draw();
    this.touched();
    const at = Math.min(index + (name === 'up' ? -1 : name === 'down' ? 1 : 0), this.moment.steps.length - 1);
    const row = byId('trace').children[at];
    (row?.querySelector(`[data-do=${name}]:enabled`) ?? row?.querySelector('button:enabled') ?? byId('add-text')).focus();
  }

  /** Marks the step that a replay has reached; -1 for none. */
  mark(index) {
    [...byId('trace').children].forEach((row, i) => (i === index ? row.setAttribute('aria-current', 'step') : row.removeAttribute('aria-current')));
  }
}
