import { type PartTexts, pointsIn, textsIn } from './part.js';
import type { PointSet } from './point-set.js';
import { RowPoints } from './rows.js';

type Kept<Value> = Readonly<{ stored: Buffer; value: Value; size: number }>;

const MIB = 2 ** 20;
/** Larger values are not kept. Those of rows of usual length are smaller. */
const MOST_BYTES = MIB;

/** Decoded values by key, with the bytes that they were made of, in two generations. */
class Decoded<Value> {
  private young = new Map<string, Kept<Value>>();
  private old = new Map<string, Kept<Value>>();
  private size = 0;

  /**
   * @param most bytes of memory of one generation
   * @param sizeOf approximate bytes of memory of a value
   */
  constructor(
    private readonly most: number,
    private readonly sizeOf: (value: Value, stored: Buffer) => number,
  ) {}

  find(key: string): Kept<Value> | undefined {
    const found = this.young.get(key);
    if (found) return found;
    const older = this.old.get(key);
    if (older) this.keep(key, older.stored, older.value);
    return older;
  }

  keep(key: string, stored: Buffer, value: Value): Value {
    const size = this.sizeOf(value, stored);
    this.size -= this.young.get(key)?.size ?? 0;
    if (size > MOST_BYTES) {
      this.young.delete(key);
      this.old.delete(key);
      return value;
    }
    this.size += size;
    this.young.set(key, { stored, value, size });
    if (this.size > this.most) {
      this.old = this.young;
      this.young = new Map();
      this.size = 0;
    }
    return value;
  }

  /** The value of these bytes. */
  of(key: string, stored: Buffer, decode: (stored: Buffer) => Value): Value {
    const known = this.find(key);
    return known?.stored.equals(stored) ? known.value : this.keep(key, stored, decode(stored));
  }
}

const POINT_BYTES = 120;

const points = new Decoded<PointSet>(32 * MIB, (set, stored) => stored.length + set.characters + POINT_BYTES * set.points.length);
const texts = new Decoded<PartTexts>(16 * MIB, ({ all, characters }, stored) => stored.length + characters + 50 * all.length);
const rows = new Decoded<RowPoints>(32 * MIB, ({ set }, stored) => 2 * stored.length + 2 * POINT_BYTES * set.points.length);

/** @param key of the document. The same document is decoded once, as long as it is among the recently used ones */
export const decodedPoints = (key: string, stored: Buffer): PointSet => points.of(key, stored, pointsIn);

export const decodedTexts = (key: string, stored: Buffer, set: PointSet): PartTexts => texts.of(key, stored, () => textsIn(stored, set));

/** Of rows that were read before, only those that have been appended since are parsed. */
export const decodedRows = (key: string, stored: Buffer): RowPoints => {
  const known = rows.find(key);
  if (!known || known.stored.length > stored.length || known.stored.compare(stored, 0, known.stored.length) !== 0)
    return rows.keep(key, stored, new RowPoints(stored));
  if (known.stored.length === stored.length) return known.value;
  known.value.add(stored, known.stored.length);
  return rows.keep(key, stored, known.value);
};
