import { Generations } from '#domain/shared/generations.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Content } from './batch-document.js';

type Known = Content & Readonly<{ length: number }>;

/** Maximum characters of the stored texts, and of one of them. */
const MOST_CHARACTERS = 2 ** 20;
const LONGEST = MOST_CHARACTERS / 16;
const DOCUMENT_CHARACTERS = 100;

const keyOf = (collection: string, key: string): string => `${collection}/${key}`;

/**
 * Decoded documents of one namespace, or their lengths, recently read by handlers, as left by the last batch: the next batch neither fetches nor decodes
 * them. Clear it if another process may have written or a commit has failed. Never holds documents with sealed members, whose keys may be
 * destroyed.
 */
export class RecentDocuments {
  private readonly documents = new Generations<Known>({
    most: MOST_CHARACTERS,
    longest: DOCUMENT_CHARACTERS + LONGEST,
    sizeOf: ({ length }) => DOCUMENT_CHARACTERS + length,
  });

  /** Those that `documents` may have any of: keys under a prefix are searched for among all documents. */
  private readonly collections = new Set<string>();

  /** @param sealed as declared by the projection */
  constructor(private readonly sealed: NonNullable<Projection['sealed']> = {}) {}

  /** Returns `undefined` if the document is not cached. */
  get(collection: string, key: string): Known | undefined {
    return this.documents.get(keyOf(collection, key));
  }

  /** @param known only the length in bytes, or the decoded document. `length`: characters of its stored text */
  put(collection: string, key: string, known: Known): void {
    if (collection in this.sealed) return;
    this.collections.add(collection);
    this.documents.set(keyOf(collection, key), known);
  }

  remove(collection: string, key: string): void {
    this.documents.delete(keyOf(collection, key));
  }

  removeUnder(collection: string, prefix: string): void {
    if (this.collections.has(collection)) this.documents.deleteUnder(keyOf(collection, prefix));
  }

  clear(): void {
    this.collections.clear();
    this.documents.clear();
  }
}
