import { pointsIn, textsIn } from './part.js';
import type { PointSet, Texts } from './point-set.js';
import { RowPoints } from './rows.js';

type Kept<Value> = Readonly<{ stored: Buffer; value: Value }>;

/** Decoded values by key, with the bytes that they were made of, in two generations. */
class Decoded<Value> {
  private young = new Map<string, Kept<Value>>();
  private old = new Map<string, Kept<Value>>();
  private bytes = 0;

  /** @param mostBytes stored bytes of the values of one generation */
  constructor(private readonly mostBytes: number) {}

  find(key: string): Kept<Value> | undefined {
    const found = this.young.get(key);
    if (found) return found;
    const older = this.old.get(key);
    if (older) this.keep(key, older);
    return older;
  }

  keep(key: string, kept: Kept<Value>): Value {
    this.bytes += kept.stored.length - (this.young.get(key)?.stored.length ?? 0);
    this.young.set(key, kept);
    if (this.bytes > this.mostBytes) {
      this.old = this.young;
      this.young = new Map();
      this.bytes = 0;
    }
    return kept.value;
  }

  /** The value of these bytes. */
  of(key: string, stored: Buffer, decode: (stored: Buffer) => Value): Value {
    const known = this.find(key);
    return known?.stored.equals(stored) ? known.value : this.keep(key, { stored, value: decode(stored) });
  }
}

const MIB = 2 ** 20;
/** Decoded points take about ten times their stored bytes. */
const points = new Decoded<PointSet>(3 * MIB);
const texts = new Decoded<readonly Texts[]>(4 * MIB);
const rows = new Decoded<RowPoints>(16 * MIB);

/** @param key of the document. The same document is decoded once, as long as it is among the recently used ones */
export const decodedPoints = (key: string, stored: Buffer): PointSet => points.of(key, stored, pointsIn);

export const decodedTexts = (key: string, stored: Buffer, set: PointSet): readonly Texts[] =>
  texts.of(key, stored, () => textsIn(stored, set));

/** Of rows that were read before, only those that have been appended since are parsed. */
export const decodedRows = (key: string, stored: Buffer): RowPoints => {
  const known = rows.find(key);
  if (!known || known.stored.length > stored.length || known.stored.compare(stored, 0, known.stored.length) !== 0)
    return rows.keep(key, { stored, value: new RowPoints(stored) });
  if (known.stored.length === stored.length) return known.value;
  known.value.add(stored, known.stored.length);
  return rows.keep(key, { stored, value: known.value });
};
