import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Jump } from './record.js';

/**
 * The text of a document, with the offset of its record and what that says of the deltas that it was made of. `trail`: the last record of the key at each level of jumps, where
 * that is known.
 */
export type CachedText = Readonly<{ offset: number; text: Buffer | string; deltas: number; deltaBytes: number; trail?: Trail | undefined }>;
export type Trail = readonly (Jump | undefined)[];

type Generation = Map<number, Map<string, CachedText>>;

const MOST_BYTES = 32 * 2 ** 20;
/** Longer texts are not kept. */
const LONGEST = MOST_BYTES / 32;
const ENTRY_BYTES = 200;

const bytesOf = ({ text }: CachedText): number => ENTRY_BYTES + text.length;

/** Texts that were read or written lately, one of each document, in two generations: reading one of the older takes it over. */
export class TextCache {
  private young: Generation = new Map();
  private old: Generation = new Map();
  private bytes = 0;

  /** @param offset of the record that the text is wanted of */
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
