import { endOfString, escapeMarkup } from '../shared/layout.js';

/**
 * Compact JSON text in the layout of `wireText`, with the order of keys and the spelling of numbers that it has. `depth` as there.
 * Linear in the length of what comes out.
 */
export const laidOut = (json: string, depth: number): string => {
  const parts: string[] = [];
  let level = depth;
  const newLine = (): string => `\n${' '.repeat(level)}`;
  for (let at = 0; at < json.length; ) {
    const character = json.charAt(at);
    const next = character === '"' ? endOfString(json, at) : at + 1;
    if (character === '"') {
      parts.push(escapeMarkup(json.slice(at, next)));
    } else if (character === '{' || character === '[') {
      level++;
      parts.push(character, '}]'.includes(json.charAt(next)) ? '' : newLine());
    } else if (character === '}' || character === ']') {
      level--;
      parts.push('{['.includes(json.charAt(at - 1)) ? '' : newLine(), character);
    } else if (character === ',') {
      parts.push(character, newLine());
    } else {
      parts.push(character === ':' ? ': ' : character);
    }
    at = next;
  }
  return parts.join('');
};
