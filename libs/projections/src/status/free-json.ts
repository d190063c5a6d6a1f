import { tokensOf } from '#domain/shared/json/json-scanner.js';
import { escapeMarkup } from '#projections/shared/layout.js';

/**
 * The longest text that is laid out, in UTF-16 units. What commands take is far smaller; an event past them must not take the memory of all others:
 * a mebibyte of JSON with a thousand levels would become hundreds.
 */
const LONGEST = 64 * 2 ** 20;

/**
 * Compact JSON text in the layout of `wireText`, with the order of keys and the spelling of numbers that it has. `depth` as there.
 * Linear in the length of what comes out. @throws RangeError when that is more than 64 Mi UTF-16 units
 */
export const laidOut = (json: string, depth: number): string => {
  const parts: string[] = [];
  let length = 0;
  for (const { text, level, breaks, isKey } of tokensOf(json)) {
    const line = breaks ? `\n${' '.repeat(depth + level)}` : '';
    const part = line + (text.startsWith('"') ? escapeMarkup(text) : text) + (isKey ? ': ' : '');
    length += part.length;
    if (length > LONGEST) throw new RangeError(`JSON of ${json.length} characters is too long once it is laid out`);
    parts.push(part);
  }
  return parts.join('');
};
