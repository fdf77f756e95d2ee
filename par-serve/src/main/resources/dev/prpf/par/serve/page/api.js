// The server: JSON both ways, and server-sent events.

const KEY = 'prpf.key';

/** What the server refused, in its own words. */
export class ApiError extends Error {
  constructor(status, detail, retryAfter) {
    const where = detail.param && !detail.message.startsWith(detail.param) ? `${detail.param}: ` : '';
    const later = retryAfter ? ` Try again in ${retryAfter} s.` : '';
    super(`${where}${detail.message}${later}`);
    this.status = status;
    this.code = detail.code ?? null;
  }
}

export const hasKey = () => sessionStorage.getItem(KEY) !== null;

export const keepKey = (key) => sessionStorage.setItem(KEY, key);

async function refusal(response) {
  const after = response.headers.get('Retry-After');
  try {
    const { error } = await response.json();
    return new ApiError(response.status, { param: error.param, code: error.code, message: String(error.message) }, after);
  } catch {
    return new ApiError(response.status, { message: `The server answered with status ${response.status}.` }, after);
  }
}

async function send(method, path, body, options = {}) {
  const headers = { Accept: options.accept ?? 'application/json' };
  const key = sessionStorage.getItem(KEY);
  if (key) {
    headers.Authorization = `Bearer ${key}`;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const { signal, keepalive } = options;
  let response;
  try {
    response = await fetch(path, { method, headers, signal, keepalive, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (fault) {
    throw fault.name === 'AbortError' ? fault : new Error('The server cannot be reached.');
  }
  if (!response.ok) {
    throw await refusal(response);
  }
  return response;
}

/** The answer as JSON; null where it has no body. */
export async function call(method, path, body, options) {
  const text = await (await send(method, path, body, options)).text();
  return text === '' ? null : JSON.parse(text);
}

/** The fields of one block of an event stream; null for a comment. */
function parse(block) {
  let event = 'message';
  const data = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === 'event') {
      event = value;
    } else if (name === 'data') {
      data.push(value);
    }
  }
  return data.length === 0 ? null : { event, data: JSON.parse(data.join('\n')) };
}

const cutOff = () => new Error('The connection ended before the answer was complete.');

async function next(reader) {
  try {
    return await reader.read();
  } catch (fault) {
    throw fault.name === 'AbortError' ? fault : cutOff();
  }
}

/** Posts a body and yields {event, data} as they come. An event `error` is thrown; a stream must end behind a `result`. */
export async function* events(path, body, signal) {
  const response = await send('POST', path, body, { signal, accept: 'text/event-stream' });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let complete = false;
  for (;;) {
    const { value, done } = await next(reader);
    const blocks = (rest + (value ?? '')).split(/\r\n\r\n|\n\n/);
    rest = blocks.pop();
    for (const item of blocks.map(parse).filter((found) => found !== null)) {
      if (item.event === 'error') {
        const detail = item.data.error ?? item.data;
        throw new ApiError(response.status, { param: detail.param, code: detail.code, message: String(detail.message) }, null);
      }
      complete ||= item.event === 'result';
      yield item;
    }
    if (done) {
      break;
    }
  }
  if (!complete) {
    throw cutOff();
  }
}
