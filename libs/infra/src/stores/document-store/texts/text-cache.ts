import { Generations } from '#domain/shared/generations.js';
import type { Jump } from './record.js';

/**
 * The text of a document, the offset of its record, and the deltas that the record says it consists of. `trail`: the last record of the key
 * at each jump level, if known.
 */
export type CachedText = Readonly<{ offset: number; text: Buffer | string; deltas: number; deltaBytes: number; trail?: Trail | undefined }>;
export type Trail = readonly (Jump | undefined)[];

const MOST_BYTES = 32 * 2 ** 20;
/** Longer texts are not cached. */
const LONGEST = MOST_BYTES / 32;
/** Name, objects, and what a text of a few hundred bytes keeps of the slab that Node.js cut its `Buffer` from. */
const ENTRY_BYTES = 1_000;

const keyOf = (file: number, name: string): string => `${file}/${name}`;

/** Recently used texts, one per document. */
export class TextCache {
  private readonly texts = new Generations<CachedText>({
    most: MOST_BYTES,
    longest: ENTRY_BYTES + LONGEST,
    sizeOf: ({ text }) => ENTRY_BYTES + text.length,
  });

  /** @param offset of the record whose text is wanted */
  get(file: number, name: string, offset: number): CachedText | undefined {
    const found = this.texts.get(keyOf(file, name));
    return found?.offset === offset ? found : undefined;
  }

  set(file: number, name: string, cached: CachedText): void {
    this.texts.set(keyOf(file, name), cached);
  }
}
