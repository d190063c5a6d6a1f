import { sha256 } from '#domain/shared/sha256.js';

/** Longest text, in bytes of UTF-8, that stands in a key as it is: six of them leave room for ids and times in the 1,500 bytes of a key. */
const LONGEST = 200;
const PLAIN = /^[\w.:@ -]*$/;
const ESCAPES: Readonly<Record<string, string>> = { '/': '%2F', '%': '%25' };

/**
 * A caller's text as one part of a document key, between slashes: never a slash itself, so that no text reaches into another's keys, and
 * at most 200 bytes. A longer text is replaced by its hash, behind a `%-` that no escape makes. Equal parts mean equal texts; their order
 * is that of the texts only as long as these are short and have neither `/` nor `%`.
 */
export const keyPart = (text: string): string => {
  if (text.length <= LONGEST && PLAIN.test(text)) return text;
  const escaped = text.length <= LONGEST ? text.replace(/[/%]/g, (character) => ESCAPES[character] ?? character) : text;
  // A UTF-16 unit is at most 3 bytes: only texts in between need to be measured.
  const short = escaped.length * 3 <= LONGEST || (escaped.length <= LONGEST && new TextEncoder().encode(escaped).length <= LONGEST);
  return short ? escaped : `%-${sha256(text)}`;
};

/** Parts of a key with their separators; each may be any text. */
export const keyOf = (...parts: readonly string[]): string => parts.map(keyPart).join('/');

/** Every key that goes on after these parts: `0` follows `/`. */
export const keysUnder = (...parts: readonly string[]): Readonly<{ gte: string; lt: string }> => {
  const prefix = keyOf(...parts);
  return { gte: `${prefix}/`, lt: `${prefix}0` };
};
