/** The first 64 primes: their roots make the constants of the algorithm. */
const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate++) if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);

/** The first 32 bits behind the point. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
const ROUND_CONSTANTS = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const BLOCK = 64;
const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** A one bit, zeros, and the length in bits, so that whole blocks come out. */
const pad = (bytes: Uint8Array): DataView => {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  return view;
};

const mix = (state: Uint32Array, words: Uint32Array): void => {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const high = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g));
    const first = (h + high + (ROUND_CONSTANTS[i] ?? 0) + (words[i] ?? 0)) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] ?? 0) + word;
  });
};

/**
 * SHA-256 (FIPS 180-4) of the UTF-8 bytes of a text, in 64 hex characters. For names of streams and documents that stand for long texts:
 * they must be the same wherever they are made, and this library uses nothing of Node's.
 */
export const sha256 = (text: string): string => {
  const padded = pad(new TextEncoder().encode(text));
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.byteLength; block += BLOCK) {
    for (let i = 0; i < 16; i++) words[i] = padded.getUint32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const [old = 0, near = 0] = [words[i - 15], words[i - 2]];
      const low = rotate(old, 7) ^ rotate(old, 18) ^ (old >>> 3);
      const high = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      words[i] = (words[i - 16] ?? 0) + low + (words[i - 7] ?? 0) + high;
    }
    mix(state, words);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
};
