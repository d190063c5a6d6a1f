import type { Texts } from '#projections/status/metric-results/point-set.js';

/** Parts whose texts are in memory at the same time. */
const PARTS_AT_ONCE = 64;

/** Finds texts of points. The texts of a part are read once. `Part`: names a part. */
export class TextFinder<Part> {
  private readonly found = new Map<Part, (number: number) => Texts>();

  constructor(private readonly read: (part: Part) => Promise<(number: number) => Texts>) {}

  async of(part: Part, number: number): Promise<Texts> {
    let textsOf = this.found.get(part);
    if (!textsOf) {
      if (this.found.size >= PARTS_AT_ONCE) this.found.clear();
      textsOf = await this.read(part);
      this.found.set(part, textsOf);
    }
    return textsOf(number);
  }
}
