import { tokensOf } from '#domain/shared/json/json-scanner.js';
import { escapeMarkup } from '#projections/shared/layout.js';

/**
 * Maximum length of the output in UTF-16 units. Commands accept far less. A larger event must not use up the memory, because a mebibyte of JSON with
 * a thousand levels would become hundreds.
 */
const LONGEST = 64 * 2 ** 20;

/**
 * Converts compact JSON text to the layout of `wireText`, keeping the order of keys and the spelling of numbers. `depth`: as for `wireText`. Linear
 * in the length of the output. @throws RangeError if the output has more than 64 Mi UTF-16 units
 */
export const laidOut = (json: string, depth: number): string => {
  const parts: string[] = [];
  let length = 0;
  for (const { text, level, breaks, isKey } of tokensOf(json)) {
    const line = breaks ? `\n${' '.repeat(depth + level)}` : '';
    const part = line + (text.startsWith('"') ? escapeMarkup(text) : text) + (isKey ? ': ' : '');
    length += part.length;
    if (length > LONGEST) throw new RangeError(`JSON of ${json.length} characters is too long in the layout of answers`);
    parts.push(part);
  }
  return parts.join('');
};
