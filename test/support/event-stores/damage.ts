import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { PAGE_SIZE } from '#infra/platform/lmdb/environment.js';

/** Numbers from 0 up to 1, exclusive: the same ones for the same seed. */
export const randomNumbers = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 31;
  };
};

/** Where the two meta pages say something. */
const META_BYTES = 168;

type Damage = (bytes: Buffer, at: number, below: (end: number) => number) => Readonly<{ what: string; damaged: Buffer }>;

const pageAt = (at: number): number => at - (at % PAGE_SIZE);

const changed = (bytes: Buffer, at: number, by: Buffer): Buffer => {
  by.copy(bytes, at);
  return bytes;
};

const KINDS: readonly Damage[] = [
  (bytes, at) => ({ what: `cut off at ${at}`, damaged: bytes.subarray(0, at) }),
  (bytes, at, below) => ({ what: `a bit changed at ${at}`, damaged: changed(bytes, at, Buffer.of(bytes.readUInt8(at) ^ (1 << below(8)))) }),
  (bytes, at, below) => ({ what: `a byte changed at ${at}`, damaged: changed(bytes, at, Buffer.of(bytes.readUInt8(at) + 1 + below(255))) }),
  (bytes, at) => ({ what: `a page zeroed at ${pageAt(at)}`, damaged: changed(bytes, pageAt(at), Buffer.alloc(PAGE_SIZE)) }),
  (bytes, at, below) => ({
    what: `garbage from ${at} on`,
    damaged: changed(bytes, at, Buffer.from(Array.from({ length: 1 + below(600) }, () => below(256)))),
  }),
  (bytes, at, below) => {
    const from = pageAt(below(bytes.length));
    return {
      what: `the page at ${pageAt(at)} replaced by that at ${from}`,
      damaged: changed(bytes, pageAt(at), bytes.subarray(from, from + PAGE_SIZE)),
    };
  },
];

/** Does to a file what disks, interrupted copies and mistaken tools do, somewhere. Returns what it did. */
export const damageAtRandom = (file: string, random: () => number): string => {
  const bytes = readFileSync(file);
  const below = (end: number): number => Math.floor(random() * end);
  // As often in what holds the file together as in what it holds.
  const places = [
    pageAt(below(bytes.length)) + below(200),
    below(2) * PAGE_SIZE + below(META_BYTES),
    below(bytes.length),
    below(bytes.length),
  ];
  const at = Math.min(places[below(places.length)] ?? 0, bytes.length - 1);
  const kind = KINDS[below(KINDS.length)];
  if (!kind) throw new RangeError('there is no such damage');
  const { what, damaged } = kind(bytes, at, below);
  writeFileSync(file, damaged);
  return what;
};

/** Overwrites a byte in every place of a file where a text stands. @throws where it stands nowhere */
const overwrite = (file: string, text: string, placeOf: (bytes: Buffer, at: number) => readonly [place: number, byte: number]): void => {
  const bytes = readFileSync(file);
  let at = bytes.indexOf(text);
  if (at < 0) throw new Error(`${text} is not in ${file}`);
  const descriptor = openSync(file, 'r+');
  try {
    for (; at >= 0; at = bytes.indexOf(text, at + 1)) {
      const [place, byte] = placeOf(bytes, at);
      writeSync(descriptor, Buffer.of(byte), 0, 1, place);
    }
  } finally {
    closeSync(descriptor);
  }
};

/** Changes a letter in every place of a file where a text stands. @throws where it stands nowhere */
export const changeLetter = (file: string, text: string): void =>
  overwrite(file, text, (_, at) => [at, (text.startsWith('w') ? 'v' : 'w').charCodeAt(0)]);

/** Changes the second byte behind every place of a file where a text stands. @throws where it stands nowhere */
export const changeBehind = (file: string, text: string): void =>
  overwrite(file, text, (bytes, at) => {
    const place = at + Buffer.byteLength(text) + 1;
    return [place, bytes.readUInt8(place) ^ 1];
  });
