/**
 * A stretch of keys of a collection, from one that begins it up to the next that does: what can be said of all of them, so that a read of the past
 * passes over those that were not there without looking at each.
 */
export type Span = Readonly<{
  /** No document of it was there before; infinite: there is none. */
  firstBirth: number;
  /** No document of it was born or died after. */
  lastChange: number;
  /** Documents that are there now. */
  alive: number;
  /** No document of it died after. */
  lastDeath: number;
}>;

const BYTES = 24;
const NUMBER_BYTES = 6;
const NEVER = 2 ** 48 - 1;

export const EMPTY_SPAN: Span = { firstBirth: NEVER, lastChange: 0, alive: 0, lastDeath: 0 };

export const encodeSpan = ({ firstBirth, lastChange, alive, lastDeath }: Span): Buffer => {
  const bytes = Buffer.allocUnsafe(BYTES);
  for (const [index, value] of [firstBirth, lastChange, alive, lastDeath].entries())
    bytes.writeUIntLE(value, index * NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
};

export const decodeSpan = (bytes: Buffer): Span => ({
  firstBirth: bytes.readUIntLE(0, NUMBER_BYTES),
  lastChange: bytes.readUIntLE(NUMBER_BYTES, NUMBER_BYTES),
  alive: bytes.readUIntLE(2 * NUMBER_BYTES, NUMBER_BYTES),
  lastDeath: bytes.readUIntLE(3 * NUMBER_BYTES, NUMBER_BYTES),
});

/** Whether nothing of the span was there at the position. */
export const wasEmpty = ({ firstBirth, alive, lastDeath }: Span, position: number): boolean =>
  position < firstBirth || (alive === 0 && position >= lastDeath);

/** How many documents were there at the position; undefined: it takes a look at each. */
export const countedAt = (span: Span, position: number): number | undefined => {
  if (wasEmpty(span, position)) return 0;
  return position >= span.lastChange ? span.alive : undefined;
};

export const sumOf = (spans: Iterable<Span>): Span => {
  let sum = EMPTY_SPAN;
  for (const { firstBirth, lastChange, alive, lastDeath } of spans)
    sum = {
      firstBirth: Math.min(sum.firstBirth, firstBirth),
      lastChange: Math.max(sum.lastChange, lastChange),
      alive: sum.alive + alive,
      lastDeath: Math.max(sum.lastDeath, lastDeath),
    };
  return sum;
};

/** Levels of spans: one key in 64 begins a span, one in 4,096 one of the next level. */
export const LEVELS = 3;
const BITS = 6;

/** How many levels of spans a key begins: by its hash, so that nothing has to be balanced. */
export const levelOf = (key: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 13;
  let level = 0;
  while (level < LEVELS && (hash & ((1 << BITS) - 1)) === 0) {
    hash >>>= BITS;
    level++;
  }
  return level;
};
