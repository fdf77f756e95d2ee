// ProactiveMobile's records and image files, as steps that can be edited: {text}, {image: data URL, name} or {missing: path}.

const IMAGE = /^data:image\/(png|jpeg|gif|bmp);base64,/;
const LARGEST = 24 * 2 ** 20;

function step(item, index) {
  if (typeof item === 'string') {
    return { text: item };
  }
  if (item?.source === 'text' && typeof item.text === 'string') {
    return { text: item.text };
  }
  if (item?.source === 'picture' && typeof item.picture === 'string') {
    return IMAGE.test(item.picture) ? { image: item.picture, name: `step ${index + 1}` } : { missing: item.picture };
  }
  throw new Error(`trace[${index}] is no step: it must be a text, or an object with "source".`);
}

/** A record, or its reference_information alone, as {title, profile, phone, world, steps, answers}. */
export function momentOf(record, title) {
  const reference = record?.reference_information ?? record;
  if (reference === null || typeof reference !== 'object' || !Array.isArray(reference.trace)) {
    throw new Error('This is no record: it must have "reference_information" with "profile", "phone", "world" and "trace".');
  }
  const moment = { title: title ?? record.benchmark_metadata?.id ?? 'Pasted record', answers: record.recommendations ?? null };
  for (const name of ['profile', 'phone', 'world']) {
    if (typeof reference[name] !== 'string') {
      throw new Error(`"${name}" must be a text.`);
    }
    moment[name] = reference[name];
  }
  return { ...moment, steps: reference.trace.map(step) };
}

/** The records of a JSON text, one or an array. */
export function momentsOf(text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch (fault) {
    throw new Error(`This is not JSON: ${fault.message}.`);
  }
  const records = Array.isArray(json) ? json : [json];
  if (records.length === 0) {
    throw new Error('The array holds no record.');
  }
  return records.map((record) => momentOf(record));
}

/** The moment as a request has it. */
export function referenceOf({ profile, phone, world, steps }) {
  const missing = steps.filter((item) => item.missing !== undefined);
  if (missing.length > 0) {
    throw new Error(`Screenshots are missing: ${missing.map((item) => item.missing).join(', ')}. Drop these files on the trajectory.`);
  }
  if (steps.length === 0) {
    throw new Error('The trajectory is empty: add a step.');
  }
  const trace = steps.map((item) => (item.image === undefined ? item.text : { source: 'picture', picture: item.image }));
  return { profile, phone, world, trace };
}

function read(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new Error('The file cannot be read.'));
    reader.readAsDataURL(blob);
  });
}

/** An image file as a step. */
export async function imageStep(file) {
  if (file.size > LARGEST) {
    throw new Error(`${file.name} is larger than 24 MiB.`);
  }
  const image = await read(file);
  if (!IMAGE.test(image)) {
    throw new Error(`${file.name} is no image in PNG, JPEG, GIF or BMP.`);
  }
  return { image, name: file.name };
}

/** A shipped example, its screenshots fetched. */
export async function exampleMoment({ title, record }, folder) {
  const moment = momentOf(record, title);
  const fetched = moment.steps.map(async (item) => {
    if (item.missing === undefined) {
      return item;
    }
    const blob = await (await fetch(folder + item.missing)).blob();
    const plain = blob.slice(0, blob.size, blob.type.split(';')[0]); // a server adds a charset
    return { image: await read(plain), name: item.missing.split('/').pop() };
  });
  return { ...moment, steps: await Promise.all(fetched) };
}
