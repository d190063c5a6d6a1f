import { endOfString } from '#projections/shared/layout.js';

const LEAD = /^[ \t\r\n]*/;
const SCALAR = /[^ \t\r\n{}[\]",:]*/y;

/** The text up to the end of its first JSON value, which is not checked for its syntax. Linear in its length. */
export const firstJsonValue = (text: string): string => {
  let at = LEAD.exec(text)?.[0].length ?? 0;
  let depth = 0;
  do {
    const character = text.charAt(at);
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (character === '"') at = endOfString(text, at);
    else if (depth > 0 || character === '}' || character === ']') at++;
    else {
      SCALAR.lastIndex = at;
      SCALAR.exec(text);
      at = SCALAR.lastIndex;
    }
  } while (depth > 0 && at < text.length);
  return text.slice(0, at);
};
