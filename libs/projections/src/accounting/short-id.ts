const HEX = /^(?:[0-9a-f]{24}|[0-9a-f]{32})$/;
/** Those of base64url. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const OTHER = '~';

const hexDigit = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 58 ? code - 48 : code - 87; // 0 to 9, a to f
};

/**
 * An id or pseudonym in keys and documents of which there are millions: 16 characters for 24 hex digits, as ids of Logbook have them, 22 for 32. Each metric
 * needs some ten of these, and a Buffer takes three times as long.
 */
export const shortId = (id: string): string => {
  if (!HEX.test(id)) return OTHER + id;
  const hex = id.length % 3 === 0 ? id : `${id}0`;
  const codes: number[] = [];
  for (let at = 0; at < hex.length; at += 3) {
    const bits = (hexDigit(hex, at) << 8) | (hexDigit(hex, at + 1) << 4) | hexDigit(hex, at + 2);
    codes.push(DIGITS.charCodeAt(bits >> 6), DIGITS.charCodeAt(bits & 63));
  }
  return String.fromCharCode(...codes);
};

export const longId = (short: string): string =>
  short.startsWith(OTHER) ? short.slice(OTHER.length) : Buffer.from(short, 'base64url').toString('hex');
