import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Jump } from './record.js';

/**
 * The text of a document, with what its record says of the deltas that it was made of. `trail`: the last record of the key at each level of jumps, where
 * that is known.
 */
export type CachedText = Readonly<{ text: Buffer | string; deltas: number; deltaBytes: number; trail?: Trail }>;
export type Trail = readonly (Jump | undefined)[];

type Kept = Readonly<{ offset: number; cached: CachedText }>;
type Generation = Map<number, Map<string, Kept>>;

const MOST_BYTES = 32 * 2 ** 20;
/** Longer texts are not kept. */
const LONGEST = MOST_BYTES / 32;
const ENTRY_BYTES = 200;

const bytesOf = ({ cached }: Kept): number => ENTRY_BYTES + cached.text.length;

/** Texts that were read or written lately, one of each document, in two generations: reading one of the older takes it over. */
export class TextCache {
  private young: Generation = new Map();
  private old: Generation = new Map();
  private bytes = 0;

  /** @param offset of the record that the text is wanted of */
  get(file: number, name: string, offset: number): CachedText | undefined {
    const found = this.young.get(file)?.get(name);
    if (found) return found.offset === offset ? found.cached : undefined;
    const older = this.old.get(file)?.get(name);
    if (older?.offset !== offset) return undefined;
    this.add(file, name, older);
    return older.cached;
  }

  set(file: number, name: string, offset: number, cached: CachedText): void {
    if (cached.text.length <= LONGEST) this.add(file, name, { offset, cached });
  }

  private add(file: number, name: string, kept: Kept): void {
    const texts = getOrInsert(this.young, file, () => new Map<string, Kept>());
    const before = texts.get(name);
    if (before) this.bytes -= bytesOf(before);
    this.bytes += bytesOf(kept);
    texts.set(name, kept);
    if (this.bytes < MOST_BYTES / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.bytes = 0;
  }
}
