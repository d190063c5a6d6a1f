/** Stands for what was left out. */
const GONE = '***';

/** User info and query of a URL: `//user:password@`, and `?key=…` behind a scheme. All are bounded: a line takes no longer than its length asks for. */
const USER_INFO = /(:\/\/)[^\s/?#"\\]{0,500}@/g;
const QUERY = /(:\/\/[^\s?"\\]{0,500}\?)[^\s"\\]+/g;
const EMAIL = /[^\s@<>()[\]{}"'\\,:;=/]{1,100}@[^\s@<>()[\]{}"'\\,:;/]{0,200}[^\s@<>()[\]{}"'\\,:;/.]/g;
/** What a JSON parser quotes of the text it could not read; quotes are escaped, as it stands in a JSON text itself. */
const QUOTED = /'[^']*', (?:\.\.\.)?\\"(?:(?!\\" ?(?:\.\.\.)? is not valid JSON).)*\\"(?:\.\.\.)? is not valid JSON/g;

/**
 * A log line without what messages of errors, ours or of a library, may quote: e-mail addresses, credentials in URLs, texts that are no JSON.
 * The line stays JSON. The last resort: nothing is logged on purpose that needs it.
 */
export const scrub = (line: string): string => {
  let clean = line;
  if (clean.includes('://')) clean = clean.replace(USER_INFO, `$1${GONE}@`).replace(QUERY, `$1${GONE}`);
  if (clean.includes('@')) clean = clean.replace(EMAIL, (found) => (found.startsWith(GONE) ? found : GONE));
  if (clean.includes('is not valid JSON')) clean = clean.replace(QUOTED, `a text that is not valid JSON`);
  return clean;
};
