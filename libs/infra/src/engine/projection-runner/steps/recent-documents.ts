import { getOrInsert } from '#domain/shared/get-or-insert.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Content } from './batch-document.js';

type Known = Content & Readonly<{ length: number }>;
type Generation = Map<string, Map<string, Known>>;

/** Maximum characters of the stored texts in one of two generations. */
const MOST_CHARACTERS = 2 ** 19;
const DOCUMENT_CHARACTERS = 100;

/**
 * Decoded documents of one namespace, or their lengths, recently read by handlers, as left by the last batch: the next batch neither fetches nor decodes
 * them. Clear it if another process may have written or a commit has failed. Never holds documents with sealed members, whose keys may be
 * destroyed.
 */
export class RecentDocuments {
  private young: Generation = new Map();
  private old: Generation = new Map();
  private characters = 0;

  /** @param sealed as declared by the projection */
  constructor(private readonly sealed: NonNullable<Projection['sealed']> = {}) {}

  /** Returns `undefined` if the document is not cached. */
  get(collection: string, key: string): Known | undefined {
    const found = this.young.get(collection)?.get(key);
    if (found) return found;
    const older = this.old.get(collection)?.get(key);
    if (older) this.put(collection, key, older);
    return older;
  }

  /** @param known only the length in bytes, or the decoded document. `length`: characters of its stored text */
  put(collection: string, key: string, known: Known): void {
    if (collection in this.sealed || known.length > MOST_CHARACTERS / 8) {
      this.remove(collection, key);
      return;
    }
    const documents = getOrInsert(this.young, collection, () => new Map<string, Known>());
    const before = documents.get(key);
    documents.set(key, known);
    this.characters += DOCUMENT_CHARACTERS + known.length - (before ? DOCUMENT_CHARACTERS + before.length : 0);
    if (this.characters <= MOST_CHARACTERS) return;
    this.old = this.young;
    this.young = new Map();
    this.characters = 0;
  }

  remove(collection: string, key: string): void {
    this.young.get(collection)?.delete(key);
    this.old.get(collection)?.delete(key);
  }

  removeUnder(collection: string, prefix: string): void {
    for (const documents of [this.young.get(collection), this.old.get(collection)])
      for (const key of documents?.keys() ?? []) if (key.startsWith(prefix)) documents?.delete(key);
  }

  clear(): void {
    this.young = new Map();
    this.old = new Map();
    this.characters = 0;
  }
}
