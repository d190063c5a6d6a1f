/** A text with what the record says of the deltas that it was made of. */
export type CachedText = Readonly<{ text: Buffer; deltas: number; deltaBytes: number }>;

const MOST_BYTES = 32 * 2 ** 20;
/** Longer texts are not kept. */
const LONGEST = MOST_BYTES / 32;
const ENTRY_BYTES = 150;

/** Texts that were read or written lately, by file and offset, in two generations: reading one of the older takes it over. */
export class TextCache {
  private young = new Map<string, CachedText>();
  private old = new Map<string, CachedText>();
  private bytes = 0;

  get(file: number, offset: number): CachedText | undefined {
    const key = keyOf(file, offset);
    const found = this.young.get(key);
    if (found) return found;
    const older = this.old.get(key);
    if (older) this.add(key, older);
    return older;
  }

  set(file: number, offset: number, text: CachedText): void {
    if (text.text.length <= LONGEST) this.add(keyOf(file, offset), text);
  }

  private add(key: string, text: CachedText): void {
    this.bytes += ENTRY_BYTES + text.text.length;
    this.young.set(key, text);
    if (this.bytes < MOST_BYTES / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.bytes = 0;
  }
}

const keyOf = (file: number, offset: number): string => `${file}:${offset}`;
