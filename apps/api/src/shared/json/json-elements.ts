import { MalformedJson } from './json-reader.js';

/** An item of a body: its number from 1 (of the element or line), and start and end of its text. */
export type JsonElement = Readonly<{ line: number; start: number; end: number }>;

/** Maximum size: longer elements and runs of blanks are refused. They are scanned byte by byte, and this size takes some milliseconds. */
const LONGEST = 8 * 1024 * 1024;
const LONGEST_BLANK = 1024 * 1024;
/** Blank lines that are skipped without a pause. */
const BLANK_LINES = 1_000;

const [BLANK, QUOTE, COMMA, OPENING, CLOSING] = [1, 2, 3, 4, 5];
const [COLON, BACKSLASH] = [0x3a, 0x5c];

/** Meaning of a byte outside of strings. */
const KINDS = new Uint8Array(256);
for (const [kind, characters] of [
  [BLANK, ' \t\r\n'],
  [QUOTE, '"'],
  [COMMA, ','],
  [OPENING, '{['],
  [CLOSING, '}]'],
] as const) {
  for (const byte of Buffer.from(characters)) KINDS[byte] = kind;
}
const kindAt = (body: Buffer, at: number): number => KINDS[body[at] ?? 0] ?? 0;

/** Position after the string at `start`, or the end of the search limit: unlike in the scanner, these bytes were not checked before. */
const endOfText = (body: Buffer, start: number): number => {
  const limit = Math.min(body.length, start + LONGEST);
  for (let at = start + 1; at < limit; at++) {
    if (body[at] === BACKSLASH) at++;
    else if (kindAt(body, at) === QUOTE) return at + 1;
  }
  return limit;
};

/** @throws MalformedJson when there are too many blanks */
const afterBlanks = (body: Buffer, start: number): number => {
  let at = start;
  while (kindAt(body, at) === BLANK) at++;
  if (at - start > LONGEST_BLANK) throw new MalformedJson('too many blanks');
  return at;
};

/** The non-blank lines of NDJSON; `undefined` after many blank ones, so that callers can yield to other work. */
export function* linesOf(body: Buffer): Generator<JsonElement | undefined> {
  let blank = 0;
  for (let start = 0, line = 1; start < body.length; line++) {
    const newline = body.indexOf('\n', start);
    const end = newline < 0 ? body.length : newline;
    if (afterBlanks(body, start) < end) yield { line, start, end };
    else if (++blank % BLANK_LINES === 0) yield undefined;
    start = end + 1;
  }
}

/** Position of the comma or bracket that ends the value at `start`. */
const endOfValue = (body: Buffer, start: number): number => {
  let depth = 0;
  const limit = Math.min(body.length, start + LONGEST);
  for (let at = start; at < limit; ) {
    const kind = kindAt(body, at);
    if (kind === QUOTE) {
      at = endOfText(body, at);
      continue;
    }
    if (depth === 0 && (kind === COMMA || kind === CLOSING)) return at;
    if (kind === OPENING) depth++;
    else if (kind === CLOSING) depth--;
    at++;
  }
  throw new MalformedJson('a value has no end, or is very long');
};

const isNull = (body: Buffer, first: number): boolean =>
  body.toString('latin1', first, first + 4) === 'null' && afterBlanks(body, first + 4) === body.length;

/** The key at a position, after blanks, and the position after its colon. @throws MalformedJson */
const keyAt = (body: Buffer, position: number): Readonly<{ key: string; start: number }> => {
  const at = afterBlanks(body, position);
  const end = endOfText(body, at);
  const colon = afterBlanks(body, end);
  if (kindAt(body, at) !== QUOTE || body[colon] !== COLON) throw new MalformedJson('no key where one is due');
  try {
    return { key: String(JSON.parse(body.toString('utf8', at, end))), start: colon + 1 };
  } catch (cause) {
    throw new MalformedJson('a key is no text', { cause });
  }
};

const ARRAY = { name: 'array', open: 0x5b, close: 0x5d };
const OBJECT = { name: 'object', open: 0x7b, close: 0x7d };

/** @throws MalformedJson the body is not exactly one such container */
function* entriesOf(body: Buffer, { name, open, close }: typeof ARRAY): Generator<JsonElement & Readonly<{ key: string }>> {
  const first = afterBlanks(body, 0);
  if (isNull(body, first)) return;
  if (body[first] !== open) throw new MalformedJson(`not an ${name}`);
  let at = afterBlanks(body, first + 1);
  for (let line = 1; line > 1 || body[at] !== close; line++) {
    const { key, start } = open === OBJECT.open ? keyAt(body, at) : { key: '', start: at };
    const end = endOfValue(body, start);
    yield { line, key, start, end };
    at = end;
    if (body[at] !== 0x2c) break;
    at++;
  }
  if (body[at] !== close || afterBlanks(body, at + 1) < body.length) throw new MalformedJson(`no ${String.fromCharCode(close)} at the end`);
}

/**
 * Elements of a JSON array one after another, so that a long array is never parsed as a whole. The contents of elements are not checked.
 * `null` is an empty array. @throws MalformedJson the body is not an array
 */
export const elementsOf = (body: Buffer): Iterable<JsonElement> => entriesOf(body, ARRAY);

/**
 * The members of a JSON object with the positions of their values, which are not checked. `null` is an empty object.
 * @throws MalformedJson the body is not an object
 */
export const membersOf = (body: Buffer): Iterable<JsonElement & Readonly<{ key: string }>> => entriesOf(body, OBJECT);
