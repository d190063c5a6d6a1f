/** Offsets as half-open ranges in order, in a flat list: from, to, from, to. Ranges have gaps between them. Changed in place: it may be long. */
export type Ranges = number[];

/** Index in the list of the first range that ends at `offset` or later. The length of the list if there is none. */
const firstEndingAt = (ranges: readonly number[], offset: number): number => {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ranges[2 * middle + 1] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
};

/** End of the range that contains the offset. `undefined` if none does. */
export const endOfRangeAt = (ranges: readonly number[], offset: number): number | undefined => {
  const at = firstEndingAt(ranges, offset + 1);
  return (ranges[at] ?? Number.POSITIVE_INFINITY) <= offset ? ranges[at + 1] : undefined;
};

/** Start of the first range after an offset that is in no range. `Infinity` if there is none. */
export const startAfter = (ranges: readonly number[], offset: number): number =>
  ranges[firstEndingAt(ranges, offset + 1)] ?? Number.POSITIVE_INFINITY;

/** Whether one range contains the whole range from `from` to `to` (exclusive). */
export const covers = (ranges: readonly number[], from: number, to: number): boolean => (endOfRangeAt(ranges, from) ?? from) >= to;

/** Adds a range. `to` is exclusive. An empty range changes nothing. */
export const addRange = (ranges: Ranges, from: number, to: number): void => {
  if (to <= from) return;
  const first = firstEndingAt(ranges, from);
  let [start, end, after] = [from, to, first];
  for (; after < ranges.length && (ranges[after] ?? 0) <= to; after += 2) {
    start = Math.min(start, ranges[after] ?? start);
    end = Math.max(end, ranges[after + 1] ?? end);
  }
  ranges.splice(first, after - first, start, end);
};

/** Adds several ranges. */
export const addRanges = (ranges: Ranges, added: readonly number[]): void => {
  for (const [from, to] of pairsOf(added)) addRange(ranges, from, to);
};

export const dropBefore = (ranges: Ranges, offset: number): void => {
  const first = firstEndingAt(ranges, offset + 1);
  ranges.splice(0, first);
  if ((ranges[0] ?? offset) < offset) ranges[0] = offset;
};

export function* pairsOf(flat: readonly number[]): Generator<readonly [number, number]> {
  for (let at = 0; at + 1 < flat.length; at += 2) yield [flat[at] ?? 0, flat[at + 1] ?? 0];
}

/** The parts of a span that are in no range; `to` is exclusive. The list must not change meanwhile. */
export function* gapsBetween(ranges: readonly number[], from: number, to: number): Generator<readonly [number, number]> {
  for (let offset = from; offset < to; ) {
    const end = endOfRangeAt(ranges, offset);
    const gapEnd = Math.min(to, startAfter(ranges, offset));
    if (end === undefined) yield [offset, gapEnd];
    offset = end ?? gapEnd;
  }
}

/** Converts single offsets, in any order, to ranges. */
export const rangesOf = (offsets: Iterable<number>): Ranges => {
  const ranges: Ranges = [];
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    if (ranges.at(-1) === offset) ranges[ranges.length - 1] = offset + 1;
    else if ((ranges.at(-1) ?? -1) < offset) ranges.push(offset, offset + 1);
  }
  return ranges;
};
