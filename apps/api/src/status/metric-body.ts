import { zuluSecond } from '#domain/shared/time.js';
import type { MetricResult } from '#domain/status/metric-data.js';
import { dictionary, type Infer, optional, struct, text, withoutEmpty } from '../shared/body-shape.js';
import { JsonReader, MalformedJson } from '../shared/json-reader.js';

/** One item of a body: its number from 1 (of the element, or of the line), and where its text lies. */
export type Item = Readonly<{ line: number; start: number; end: number }>;

/** What is wrong with an item whose text is JSON. */
export class BadItem extends Error {
  override readonly name = 'BadItem';
}

const BLANKS = new Set(Buffer.from(' \t\r\n'));
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set(Buffer.from('{['));
const CLOSING = new Set(Buffer.from('}]'));

const afterBlanks = (body: Buffer, start: number): number => {
  let at = start;
  while (BLANKS.has(body[at] ?? 0)) at++;
  return at;
};

/** The lines of NDJSON that are not blank. */
export function* linesOf(body: Buffer): Generator<Item> {
  for (let start = 0, line = 1; start < body.length; line++) {
    const newline = body.indexOf('\n', start);
    const end = newline < 0 ? body.length : newline;
    if (afterBlanks(body, start) < end) yield { line, start, end };
    start = end + 1;
  }
}

/** The place after a string that begins at `start`. */
const endOfString = (body: Buffer, start: number): number => {
  for (let at = start + 1; at < body.length; at++) {
    if (body[at] === BACKSLASH) at++;
    else if (body[at] === QUOTE) return at + 1;
  }
  return body.length;
};

/** The place of the comma or bracket that ends the element which begins at `start`. */
const endOfElement = (body: Buffer, start: number): number => {
  let depth = 0;
  for (let at = start; at < body.length; ) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfString(body, at);
      continue;
    }
    if (depth === 0 && (byte === COMMA || CLOSING.has(byte))) return at;
    if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
    at++;
  }
  throw new MalformedJson('the array has no end');
};

/**
 * The elements of a JSON array, one after another, so that a long one need never be in memory as a whole. What is inside an element is not
 * looked at; `null` is an empty array. @throws MalformedJson the body is no array
 */
export function* elementsOf(body: Buffer): Generator<Item> {
  const first = afterBlanks(body, 0);
  if (body.toString('latin1', first, first + 4) === 'null' && afterBlanks(body, first + 4) === body.length) return;
  if (body[first] !== 0x5b) throw new MalformedJson('not an array');
  let at = afterBlanks(body, first + 1);
  for (let line = 1; line > 1 || body[at] !== 0x5d; line++) {
    const end = endOfElement(body, at);
    yield { line, start: at, end };
    at = end;
    if (body[at] !== COMMA) break;
    at++;
  }
  if (body[at] !== 0x5d || afterBlanks(body, at + 1) < body.length) throw new MalformedJson('not one array');
}

const REQUIRED = ['timestamp', 'service', 'host', 'metric', 'status'] as const;
const INSTANTS = ['timestamp', 'previous_timestamp'] as const;

/** Members as in status contract 13.1; `date` follows from `timestamp`. `service` must be given, but may be empty (design 8). */
export const metricItem = withoutEmpty(
  struct({
    timestamp: text,
    report: text,
    endpoint_group: text,
    service: optional(text),
    host: text,
    metric: text,
    status: text,
    summary: text,
    message: text,
    previous_timestamp: text,
    previous_state: text,
    info: dictionary(text),
    actual_data: text,
    threshold_rule_applied: text,
    original_status: text,
  }),
  'report',
  'previous_timestamp',
  'previous_state',
  'actual_data',
  'threshold_rule_applied',
  'original_status',
);

/** The text is JSON by now, so that what is malformed is the type of a value. @throws BadItem */
const membersOf = (reader: JsonReader): Infer<typeof metricItem> => {
  try {
    return metricItem.read(reader);
  } catch (error) {
    throw error instanceof MalformedJson ? new BadItem(error.message) : error;
  }
};

/** The result in the text of an item, and its host. @throws MalformedJson the text is not JSON; BadItem */
export const readItem = (json: string): Readonly<{ host: string; result: MetricResult }> => {
  const members = membersOf(JsonReader.over(json));
  const { host, info, service = '', ...values } = members;
  for (const member of REQUIRED) {
    const given = members[member];
    if (given === undefined || (given === '' && member !== 'service')) throw new BadItem(`${member} is missing`);
  }
  const instants = INSTANTS.flatMap((member) => {
    const given = members[member];
    if (given === undefined) return [];
    const instant = zuluSecond(given);
    if (instant === undefined) throw new BadItem(`${member} is not in the form YYYY-MM-DDTHH:MM:SSZ`);
    return [[member, instant] as const];
  });
  return { host, result: { ...values, service, ...Object.fromEntries(instants), ...(Object.keys(info).length > 0 ? { info } : {}) } };
};
