import { sha256 } from '#domain/shared/bytes/sha256.js';

/** Maximum bytes of UTF-8 of a text in a key. Six such texts leave room for ids and times in the 1,500 bytes of a key. */
const LONGEST = 200;
const PLAIN = /^[\w.:@ -]*$/;
const ESCAPES: Readonly<Record<string, string>> = { '/': '%2F', '%': '%25' };

/**
 * Encodes a caller's text as one part of a document key, between slashes. The part contains no slash, so no text can reach the keys of another, and
 * has at most 200 bytes. A longer text is replaced by its hash, prefixed with `%-`, which no escape produces. Equal parts mean equal texts. Parts
 * sort like their texts only if these are short and contain neither `/` nor `%`.
 */
export const keyPart = (text: string): string => {
  if (text.length <= LONGEST && PLAIN.test(text)) return text;
  const escaped = text.length <= LONGEST ? text.replace(/[/%]/g, (character) => ESCAPES[character] ?? character) : text;
  // A UTF-16 unit has at most 3 bytes in UTF-8, so only lengths in between have to be measured.
  const short = escaped.length * 3 <= LONGEST || (escaped.length <= LONGEST && new TextEncoder().encode(escaped).length <= LONGEST);
  return short ? escaped : `%-${sha256(text)}`;
};

/** Joins the parts of a key with separators. Each part may be any text. */
export const keyOf = (...parts: readonly string[]): string => parts.map(keyPart).join('/');

/** Range of all keys below these parts. `0` is the character after `/`. */
export const keysUnder = (...parts: readonly string[]): Readonly<{ gte: string; lt: string }> => {
  const prefix = keyOf(...parts);
  return { gte: `${prefix}/`, lt: `${prefix}0` };
};
