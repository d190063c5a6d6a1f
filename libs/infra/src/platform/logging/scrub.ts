/** Replaces what is left out. */
const GONE = '***';

/** User info and query of a URL: `//user:password@`, and `?key=…` after a scheme. All lengths are bounded, so that the time is linear. */
const USER_INFO = /(:\/\/)[^\s/?#"\\]{0,500}@/g;
const QUERY = /(:\/\/[^\s?"\\]{0,500}\?)[^\s"\\]+/g;
const EMAIL = /[^\s@<>()[\]{}"'\\,:;=/]{1,100}@[^\s@<>()[\]{}"'\\,:;/]{0,200}[^\s@<>()[\]{}"'\\,:;/.]/g;
/** The part of an unreadable text that a JSON parser quotes in its error; the quotes are escaped, because the error is part of JSON itself. */
const QUOTED = /'[^']*', (?:\.\.\.)?\\"(?:(?!\\" ?(?:\.\.\.)? is not valid JSON).)*\\"(?:\.\.\.)? is not valid JSON/g;

/**
 * Removes what error messages, ours or of a library, may quote: e-mail addresses, credentials in URLs, texts that are not JSON. The line stays
 * JSON. This is the last resort: nothing that needs it is logged on purpose.
 */
export const scrub = (line: string): string => {
  let clean = line;
  if (clean.includes('://')) clean = clean.replace(USER_INFO, `$1${GONE}@`).replace(QUERY, `$1${GONE}`);
  if (clean.includes('@')) clean = clean.replace(EMAIL, (found) => (found.startsWith(GONE) ? found : GONE));
  if (clean.includes('is not valid JSON')) clean = clean.replace(QUOTED, `a text that is not valid JSON`);
  return clean;
};
