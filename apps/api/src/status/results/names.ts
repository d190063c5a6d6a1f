import { byBytes } from '#domain/shared/text/text-order.js';

/** Compares lists of names of equal length by the first difference. */
export const byNames = (left: readonly string[], right: readonly string[]): number => {
  const differing = left.findIndex((name, index) => name !== right[index]);
  return differing < 0 ? 0 : byBytes(left[differing] as string, right[differing] as string);
};

type Named = Readonly<{ names: readonly string[] }>;

/** Returns whether lists of equal length have the same names. */
const areSame = (left: readonly string[], right: readonly string[]): boolean => {
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
};

/** Index by lists of names. Most days list the same items in the same order, so the successor of the last hit is tried first. */
export class ByNames<Item extends Named> {
  /** In the order of addition. */
  readonly all: Item[] = [];
  private readonly places = new Map<string, number>();
  private next = 0;

  get(names: readonly string[]): Item | undefined {
    const expected = this.all[this.next];
    if (expected && areSame(expected.names, names)) {
      this.next = (this.next + 1) % this.all.length;
      return expected;
    }
    const place = this.places.get(JSON.stringify(names));
    if (place === undefined) return undefined;
    this.next = (place + 1) % this.all.length;
    return this.all[place];
  }

  add(item: Item): void {
    this.places.set(JSON.stringify(item.names), this.all.length);
    this.all.push(item);
    this.next = 0;
  }
}
