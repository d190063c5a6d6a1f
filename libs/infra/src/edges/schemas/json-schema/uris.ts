const SCHEME = /^[a-z][a-z\d+.-]*:/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const NEVER = /[\u0000-\u001f\u007f\\]/;
const BAD_ESCAPE = /%(?![\da-f]{2})/i;
const USER = /^[\w.~!$&'()*+,;=:@%-]*$/;
/** A name or an address, optionally with a port; only non-ASCII characters may be escaped. */
const HOST = /^(?:[\w.~!$&'()*+,;=:<>"-]|\P{ASCII}|%[89a-f][\da-f])*$/iu;
const HOST_IN_BRACKETS = /^\[[^[\]@/ ]*\](?::\d*)?$/;

const isHost = (text: string): boolean =>
  text.startsWith('[') ? HOST_IN_BRACKETS.test(text) : HOST.test(text) && /^[^:]*$|:\d*$/.test(text);

const isAuthority = (text: string): boolean => {
  const end = text.lastIndexOf('@');
  return (end < 0 || USER.test(text.slice(0, end))) && isHost(text.slice(end + 1));
};

/** Splits a text at a character, if it contains one. */
const cut = (text: string, character: string): readonly [before: string, behind: string] => {
  const at = text.indexOf(character);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/**
 * Returns whether a text is a reference, absolute or relative, as lenient parsers read it: spaces and non-ASCII characters need not be
 * escaped; the query, and what follows a scheme without a slash, may be anything. Control characters and backslashes are refused.
 */
export const isUriReference = (text: string): boolean => {
  const [whole, fragment] = cut(text, '#');
  if (NEVER.test(text) || BAD_ESCAPE.test(fragment)) return false;
  const scheme = SCHEME.exec(whole)?.[0] ?? '';
  const [rest] = cut(whole.slice(scheme.length), '?');
  if (!rest.startsWith('/')) return scheme !== '' || !(cut(rest, '/')[0].includes(':') || BAD_ESCAPE.test(rest));
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return !BAD_ESCAPE.test(rest);
  const [authority, path] = cut(rest.slice(2), '/');
  return isAuthority(authority) && !BAD_ESCAPE.test(path);
};

/** Returns whether a text is a reference with a scheme, such as `http:`. */
export const isUri = (text: string): boolean => SCHEME.test(text) && isUriReference(text);

/** Accepts a reference in which every `{` is closed by a later `}`. The text between them is not checked. */
export const isUriTemplate = (text: string): boolean => {
  const last = text.lastIndexOf('{');
  return isUriReference(text) && (last < 0 || text.includes('}', last));
};
