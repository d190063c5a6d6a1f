// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly what takes more than a byte, compact or laid out
const UNLIKE = /["\\<>&\u0000-\u001f\u0080-\uffff]/;

/** By ASCII code: 1 for a character that needs no escape. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) => (UNLIKE.test(String.fromCharCode(code)) ? 0 : 1));

/** Up to this length a loop is faster than the regular expression. */
const SHORT = 32;

/**
 * Whether each character of a text is one byte of JSON text in any layout: ASCII without quotation marks, backslashes, control characters,
 * `<`, `>` and `&`.
 */
export const isPlainText = (text: string): boolean => {
  const { length } = text;
  if (length > SHORT) return !UNLIKE.test(text);
  for (let at = 0; at < length; at++) if (PLAIN[text.charCodeAt(at)] !== 1) return false;
  return true;
};
