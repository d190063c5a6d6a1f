import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Jump } from './record.js';

/**
 * The text of a document, the offset of its record, and the deltas that the record says it consists of. `trail`: the last record of the key
 * at each jump level, if known.
 */
export type CachedText = Readonly<{ offset: number; text: Buffer | string; deltas: number; deltaBytes: number; trail?: Trail | undefined }>;
export type Trail = readonly (Jump | undefined)[];

type Generation = Map<number, Map<string, CachedText>>;

const MOST_BYTES = 32 * 2 ** 20;
/** Longer texts are not cached. */
const LONGEST = MOST_BYTES / 32;
/** Name, objects, and what a text of a few hundred bytes keeps of the slab that Node.js cut its `Buffer` from. */
const ENTRY_BYTES = 1_000;

const bytesOf = ({ text }: CachedText): number => ENTRY_BYTES + text.length;

/** Recently used texts, one per document, in two generations. Reading a text of the older generation moves it to the newer one. */
export class TextCache {
  private young: Generation = new Map();
  private old: Generation = new Map();
  private bytes = 0;

  /** @param offset of the record whose text is wanted */
  get(file: number, name: string, offset: number): CachedText | undefined {
    const found = this.young.get(file)?.get(name);
    if (found) return found.offset === offset ? found : undefined;
    const older = this.old.get(file)?.get(name);
    if (older?.offset !== offset) return undefined;
    this.set(file, name, older);
    return older;
  }

  set(file: number, name: string, cached: CachedText): void {
    if (cached.text.length > LONGEST) return;
    const texts = getOrInsert(this.young, file, () => new Map<string, CachedText>());
    const before = texts.get(name);
    if (before) this.bytes -= bytesOf(before);
    this.bytes += bytesOf(cached);
    texts.set(name, cached);
    if (this.bytes < MOST_BYTES / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.bytes = 0;
  }
}
