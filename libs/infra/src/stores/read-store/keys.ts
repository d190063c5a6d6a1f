import type { Change, KeyRange } from '#projections/shared/read-store.js';

/** Maximum length of a document key, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1_500;

/** A UTF-16 unit takes at most three bytes in UTF-8, so most keys need not be measured. */
const isShort = (key: string): boolean => key.length * 3 <= MAX_KEY_BYTES;

/** Returns whether a document can have this key. Reads of any other key find nothing. */
export const isKey = (key: string): boolean => key.length > 0 && (isShort(key) || Buffer.byteLength(key) <= MAX_KEY_BYTES);

/** Returns whether a bound is longer than every key. */
export const isLongBound = (bound: string): boolean => !isShort(bound) && Buffer.byteLength(bound) > MAX_KEY_BYTES;

/**
 * Detects programming errors of the caller before anything is written, because halfway through a batch it would be too late.
 * @throws RangeError
 */
export const checkChanges = (changes: readonly Change[]): void => {
  for (const change of changes) {
    if (change.collection === '' || change.collection.includes('\0'))
      throw new RangeError(`collection ${JSON.stringify(change.collection)}`);
    if (change.kind !== 'delete-prefix' && !isKey(change.key)) {
      throw new RangeError(
        `collection ${change.collection}: a key has 1 to ${MAX_KEY_BYTES} bytes, this one ${Buffer.byteLength(change.key)}`,
      );
    }
  }
};

/** Returns whether a value is empty bytes, those of a key in a list. An empty text is a document. */
export const isNothing = (value: string | Buffer): boolean => typeof value !== 'string' && value.length === 0;

/** Length of the text or bytes that a change carries. */
export const addedBy = (change: Change): number =>
  (change.kind === 'put' ? change.value : change.kind === 'append' ? change.piece : '').length;

/** One end of a range. */
export type Bound = Readonly<{ key: string; inclusive: boolean }>;

export const lowerBound = ({ gte, gt }: KeyRange): Bound | undefined => bound(gte, gt);

export const upperBound = ({ lte, lt }: KeyRange): Bound | undefined => bound(lte, lt);

const bound = (inclusive: string | undefined, exclusive: string | undefined): Bound | undefined => {
  if (inclusive !== undefined) return { key: inclusive, inclusive: true };
  return exclusive === undefined ? undefined : { key: exclusive, inclusive: false };
};

type KeyPlacement = 'within' | 'apart' | 'across';

/** Position of the range relative to the keys with the prefix. */
export const placeOf = (range: KeyRange, prefix: string): KeyPlacement => {
  if (prefix === '') return 'within';
  const start = Buffer.from(prefix);
  // The next prefix of the same length: UTF-8 never contains the byte 0xff.
  const end = Buffer.from(start);
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  const [lower, upper] = [lowerBound(range), upperBound(range)];
  const [from, to] = [lower && Buffer.from(lower.key), upper && Buffer.from(upper.key)];
  const toStart = to ? Buffer.compare(to, start) : 1;
  const toEnd = to ? Buffer.compare(to, end) : 1;
  if (toStart < 0 || (toStart === 0 && !upper?.inclusive) || (from && Buffer.compare(from, end) >= 0)) return 'apart';
  const startsInside = from !== undefined && Buffer.compare(from, start) >= 0;
  const endsInside = toEnd < 0 || (toEnd === 0 && !upper?.inclusive);
  return startsInside && endsInside ? 'within' : 'across';
};
