// The request of the page as a command and as a program, and the dialog that shows what is too large for the page.

import { byId, el } from './dom.js';

const KEY = 'Authorization: Bearer $PRPF_API_KEY';

/** A JSON value as Python writes it. */
function python(value, indent = '') {
  const deeper = `${indent}    `;
  if (value === null || typeof value === 'boolean') {
    return { null: 'None', true: 'True', false: 'False' }[String(value)];
  }
  if (typeof value !== 'object') {
    return JSON.stringify(value);
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value) ? value.map((item) => python(item, deeper))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${python(item, deeper)}`);
  return `${open}\n${items.map((item) => `${deeper}${item},\n`).join('')}${indent}${close}`;
}

/** The body goes in from a quoted here-document: no character of it is special, and images are not too long. */
export const asCurl = (address, body, keyed) => `curl -s ${address} -H 'Content-Type: application/json'${keyed ? ` -H "${KEY}"` : ''} -d @- <<'JSON'
${JSON.stringify(body)}
JSON
`;

export const asPython = (address, body, keyed) => `import json${keyed ? ', os' : ''}
import urllib.request

body = ${python(body)}
headers = {"Content-Type": "application/json"${keyed ? ', "Authorization": "Bearer " + os.environ["PRPF_API_KEY"]' : ''}}
request = urllib.request.Request("${address}", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as answer:
    print(json.dumps(json.load(answer)["recommendations"], ensure_ascii=False, indent=2))
`;

/** Opens the dialog; the browser gives the focus back when it closes. */
export function show(title, content) {
  byId('dialog-title').textContent = title;
  byId('dialog-body').replaceChildren(content);
  byId('dialog').showModal();
}

/** Copies a text; where the browser forbids it, as on a page without TLS elsewhere, shows the text. */
export async function copy(name, text) {
  try {
    await navigator.clipboard.writeText(text);
    byId('copied').textContent = `Copied as ${name}.`;
  } catch {
    show(`As ${name}`, el('pre', { tabindex: '0' }, text));
  }
}
