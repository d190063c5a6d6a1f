/** Parts that are in memory at the same time, and the characters of their texts, of which the last part may have more. */
const PARTS_AT_ONCE = 64;
const CHARACTERS_AT_ONCE = 16 * 1024 * 1024;

/** Finds parts that were read before. `Part`: names a part. `Found`: its texts, or all of it. */
export class PartFinder<Part, Found extends Readonly<{ characters: number }>> {
  private readonly found = new Map<Part, Found>();
  private characters = 0;

  constructor(private readonly read: (part: Part) => Promise<Found>) {}

  async of(part: Part): Promise<Found> {
    const known = this.found.get(part);
    if (known) return known;
    if (this.found.size >= PARTS_AT_ONCE || this.characters > CHARACTERS_AT_ONCE) {
      this.found.clear();
      this.characters = 0;
    }
    const read = await this.read(part);
    this.found.set(part, read);
    this.characters += read.characters;
    return read;
  }
}
