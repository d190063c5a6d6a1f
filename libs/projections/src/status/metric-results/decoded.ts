import { Generations } from '#domain/shared/generations.js';
import { type PartTexts, pointsIn, textsIn } from './part.js';
import type { PointSet } from './point-set.js';
import { RowPoints } from './rows.js';

type Kept<Value> = Readonly<{ stored: Buffer; value: Value; size: number }>;

const MIB = 2 ** 20;
/** Larger values are not kept. Those of rows of usual length are smaller. */
const MOST_BYTES = MIB;

/** Decoded values by key, with the bytes that they were made of. */
class Decoded<Value> {
  private readonly kept: Generations<Kept<Value>>;

  /**
   * @param most bytes of memory
   * @param sizeOf approximate bytes of memory of a value
   */
  constructor(
    most: number,
    private readonly sizeOf: (value: Value, stored: Buffer) => number,
  ) {
    this.kept = new Generations({ most, longest: MOST_BYTES, sizeOf: ({ size }) => size });
  }

  find(key: string): Kept<Value> | undefined {
    return this.kept.get(key);
  }

  keep(key: string, stored: Buffer, value: Value): Value {
    this.kept.set(key, { stored, value, size: this.sizeOf(value, stored) });
    return value;
  }

  /** The value of these bytes. */
  of(key: string, stored: Buffer, decode: (stored: Buffer) => Value): Value {
    const known = this.find(key);
    return known?.stored.equals(stored) ? known.value : this.keep(key, stored, decode(stored));
  }
}

const POINT_BYTES = 120;

const points = new Decoded<PointSet>(64 * MIB, (set, stored) => stored.length + set.characters + POINT_BYTES * set.points.length);
const texts = new Decoded<PartTexts>(32 * MIB, ({ all, characters }, stored) => stored.length + characters + 50 * all.length);
const rows = new Decoded<RowPoints>(64 * MIB, ({ set }, stored) => 2 * stored.length + 2 * POINT_BYTES * set.points.length);

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
