/** Bytes of an even number of hexadecimal digits; `undefined` for any other text. */
export const bytesOfHex = (text: string): Uint8Array | undefined => {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
};

/** Lower-case hex. */
export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Bytes of base64 or base64url, padded or not; `undefined` for any other text. */
export const bytesOfBase64 = (text: string): Uint8Array | undefined => {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};
