/**
 * Encodes a text as copies from a base text and new bytes between them. Made for documents that change in a few places: numbers in place,
 * items added or removed. Form: a sequence of `<bytes to insert><the bytes><offset to copy from><length>`, numbers as varints.
 */
type Delta = Buffer;

/** A shorter copy takes as many bytes as the text that it replaces. */
const SHORTEST_COPY = 12;
/** Bytes searched after a difference for the place where both texts match again. */
const WINDOW = 96;
/** Maximum number of edits; after that the rest of the text is inserted. Bounds the time for texts that have nothing in common. */
const MAX_EDITS = 64;
/** One copy per edit, and those before, behind and after them. */
const MOST_COPIES = MAX_EDITS + 3;
/** Size of a copy without the bytes inserted before it: three numbers. */
const COPY_BYTES = 24;
const STRIDE = 256;
const SCRATCH_BYTES = 2 ** 16;
const [QUOTE, COMMA, BRACKET, BRACE] = [...Buffer.from('",]}')];

/** Number of equal bytes from these offsets on. */
const commonFrom = (a: Buffer, aAt: number, aEnd: number, b: Buffer, bAt: number, bEnd: number): number => {
  const most = Math.min(aEnd - aAt, bEnd - bAt);
  let length = 0;
  while (length + STRIDE <= most && a.compare(b, bAt + length, bAt + length + STRIDE, aAt + length, aAt + length + STRIDE) === 0)
    length += STRIDE;
  while (length < most && a[aAt + length] === b[bAt + length]) length++;
  return length;
};

/** Number of equal bytes before these ends. */
const commonBefore = (a: Buffer, aStart: number, b: Buffer, bStart: number): number => {
  const most = Math.min(a.length - aStart, b.length - bStart);
  const [aEnd, bEnd] = [a.length, b.length];
  let length = 0;
  while (length + STRIDE <= most && a.compare(b, bEnd - length - STRIDE, bEnd - length, aEnd - length - STRIDE, aEnd - length) === 0)
    length += STRIDE;
  while (length < most && a[aEnd - 1 - length] === b[bEnd - 1 - length]) length++;
  return length;
};

/** Buffer shared by all deltas. Callers copy their bytes out of it. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** Writes the delta of `text`. */
class Writer {
  private readonly bytes: Buffer;
  private length = 0;
  private start = 0;
  private end = 0;

  constructor(private readonly text: Buffer) {
    const longest = text.length + MOST_COPIES * COPY_BYTES;
    this.bytes = longest <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafe(longest);
  }

  /** Sets the bytes to insert before the next copy. */
  insert(start: number, end: number): void {
    this.start = start;
    this.end = end;
  }

  copy(offset: number, length: number): void {
    this.number(this.end - this.start);
    this.length += this.text.copy(this.bytes, this.length, this.start, this.end);
    this.number(offset);
    this.number(length);
    this.insert(0, 0);
  }

  finish(): Delta {
    if (this.end > this.start) this.copy(0, 0);
    return Buffer.from(this.bytes.subarray(0, this.length));
  }

  /** Writes a varint. */
  private number(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.length++] = (rest % 0x80) | 0x80;
    this.bytes[this.length++] = rest;
  }
}

/** Returns whether a copy can begin at these offsets. */
const isAlike = (base: Buffer, baseAt: number, baseEnd: number, text: Buffer, at: number, end: number): boolean => {
  if (baseAt + SHORTEST_COPY > baseEnd || at + SHORTEST_COPY > end) return false;
  for (let index = 0; index < SHORTEST_COPY; index++) if (base[baseAt + index] !== text[at + index]) return false;
  return true;
};

/** The next offset where a number or text of a JSON document can end. */
const tokenEnd = (text: Buffer, start: number, end: number): number => {
  const last = Math.min(end, start + WINDOW);
  for (let at = start; at < last; at++) {
    const byte = text[at];
    if (byte === QUOTE || byte === COMMA || byte === BRACKET || byte === BRACE) return at;
  }
  return last;
};

/** The nearest later offsets from which both texts match. Usually only some values have changed, and the match begins right after them. */
const resync = (base: Buffer, baseAt: number, baseEnd: number, text: Buffer, at: number, end: number): readonly [number, number] | null =>
  behindValues(base, baseAt, baseEnd, text, at, end) ?? anywhere(base, baseAt, baseEnd, text, at, end);

/** Skips values that differ, and matches between them that are too short to copy. */
const behindValues: typeof resync = (base, baseAt, baseEnd, text, at, end) => {
  let [a, b] = [baseAt, at];
  do {
    [a, b] = [tokenEnd(base, a, baseEnd), tokenEnd(text, b, end)];
    if (isAlike(base, a, baseEnd, text, b, end)) return [a, b];
    if (a >= baseEnd || b >= end || base[a] !== text[b]) return null;
    while (a < baseEnd && b < end && base[a] === text[b]) [a, b] = [a + 1, b + 1];
  } while (a - baseAt < WINDOW && b - at < WINDOW);
  return null;
};

const anywhere: typeof resync = (base, baseAt, baseEnd, text, at, end) => {
  const mostSkipped = baseEnd - SHORTEST_COPY - baseAt;
  const mostInserted = end - SHORTEST_COPY - at;
  for (let sum = 1; sum <= Math.min(WINDOW, mostSkipped + mostInserted); sum++)
    for (let skip = Math.max(0, sum - mostInserted); skip <= Math.min(sum, mostSkipped); skip++)
      if (isAlike(base, baseAt + skip, baseEnd, text, at + sum - skip, end)) return [baseAt + skip, at + sum - skip];
  return null;
};

/** Delta of `text` against `base`. May be longer than the text if they have little in common; the caller should then store the text. */
export const deltaOf = (base: Buffer, text: Buffer): Delta => {
  const writer = new Writer(text);
  const head = commonFrom(base, 0, base.length, text, 0, text.length);
  const tail = commonBefore(base, head, text, head);
  const [baseEnd, end] = [base.length - tail, text.length - tail];
  if (head > 0) writer.copy(0, head);
  let [baseAt, at] = [head, head];
  for (let edits = 0; at < end; edits++) {
    const next = edits < MAX_EDITS ? resync(base, baseAt, baseEnd, text, at, end) : null;
    if (!next) {
      writer.insert(at, end);
      break;
    }
    if (next[1] > at) writer.insert(at, next[1]);
    const length = commonFrom(base, next[0], baseEnd, text, next[1], end);
    writer.copy(next[0], length);
    [baseAt, at] = [next[0] + length, next[1] + length];
  }
  if (tail > 0) writer.copy(baseEnd, tail);
  return writer.finish();
};

/** Returns the text that the delta encodes. @throws RangeError the delta does not belong to this base */
export const applyDelta = (base: Buffer, delta: Delta): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at < delta.length; ) {
    const inserted = readVarint(delta, at);
    const offset = readVarint(delta, inserted.next + inserted.value);
    const length = readVarint(delta, offset.next);
    parts.push(delta.subarray(inserted.next, inserted.next + inserted.value));
    if (offset.value + length.value > base.length) throw new RangeError('a delta that does not fit its base');
    parts.push(base.subarray(offset.value, offset.value + length.value));
    at = length.next;
  }
  return Buffer.concat(parts);
};

/** Length of the text that the delta encodes. */
export const lengthAfter = (delta: Delta): number => {
  let length = 0;
  for (let at = 0; at < delta.length; ) {
    const inserted = readVarint(delta, at);
    const offset = readVarint(delta, inserted.next + inserted.value);
    const copied = readVarint(delta, offset.next);
    length += inserted.value + copied.value;
    at = copied.next;
  }
  return length;
};

const readVarint = (bytes: Buffer, start: number): Readonly<{ value: number; next: number }> => {
  let [value, factor] = [0, 1];
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, next: at + 1 };
    factor *= 0x80;
  }
  throw new RangeError('a delta that ends in a number');
};
