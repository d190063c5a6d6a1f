/**
 * Characters that a terminal obeys instead of showing them, or that turn the order of what it shows: controls of ASCII and ISO 6429, Unicode's line ends,
 * marks and overrides of direction. Line feeds and tabs are part of a layout.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text with `\uXXXX` in place of control characters, for terminals and log lines. JSON stays JSON, and of the same value. */
export const printable = (text: string): string =>
  text.replace(CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
