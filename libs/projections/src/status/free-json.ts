import { JsonScanner } from '#domain/shared/json/json-scanner.js';
import { TextSource } from '#domain/shared/json/json-source.js';
import { escapeMarkup } from '#projections/shared/layout.js';

/**
 * The longest text that is laid out, in UTF-16 units. What commands take is far smaller; an event past them must not take the memory of all others:
 * a mebibyte of JSON with a thousand levels would become hundreds.
 */
const LONGEST = 64 * 2 ** 20;

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/**
 * Compact JSON text in the layout of `wireText`, with the order of keys and the spelling of numbers that it has. `depth` as there.
 * Linear in the length of what comes out. @throws RangeError when that is more than 64 Mi UTF-16 units
 */
export const laidOut = (json: string, depth: number): string => {
  const parts: string[] = [];
  let level = depth;
  let length = 0;
  const newLine = (): string => `\n${' '.repeat(level)}`;
  const add = (...texts: readonly string[]): void => {
    for (const text of texts) length += text.length;
    if (length > LONGEST) throw new RangeError(`JSON of ${json.length} characters is too long once it is laid out`);
    parts.push(...texts);
  };
  const scanner = new JsonScanner(new TextSource(json));
  let opened = false;
  while (scanner.position < json.length) {
    const token = scanner.token();
    const closes = CLOSING.has(token);
    if (closes) level--;
    if (opened !== closes) add(newLine()); // before the first entry, or after the last one
    if (token === ',') add(token, newLine());
    else if (token === ':') add(': ');
    else add(token.startsWith('"') ? escapeMarkup(token) : token);
    opened = OPENING.has(token);
    if (opened) level++;
  }
  return parts.join('');
};
