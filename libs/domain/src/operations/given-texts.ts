/** Longest reason that operators give, as for an erasure, a skipped event or a recomputation, in characters. */
export const LONGEST_REASON = 500;

/** Longest name of an access key, in characters. */
export const LONGEST_KEY_NAME = 200;

/** Returns whether a text has 1 to `max` characters. Lone surrogates are refused, because they cannot be stored as UTF-8. */
export const isTextUpTo = (text: string, max: number): boolean =>
  text !== '' && text.length <= 2 * max && text.isWellFormed() && [...text].length <= max;
