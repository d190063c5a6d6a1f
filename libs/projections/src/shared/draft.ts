import { type DocumentChange, put, type ReadDocument, remove } from './projection.js';

/**
 * Documents while one event changes them: each change is seen by the next, and only the last state of a document is written.
 * A document may be read before it is written if the projection named it.
 */
export class Draft {
  private readonly documents = new Map<string, Map<string, unknown>>();

  constructor(private readonly read: ReadDocument) {}

  get(collection: string, key: string): unknown {
    const written = this.documents.get(collection);
    return written?.has(key) ? written.get(key) : this.read(collection, key);
  }

  /** `undefined` removes the document. */
  set(collection: string, key: string, value: unknown): void {
    const written = this.documents.get(collection);
    if (written) written.set(key, value);
    else this.documents.set(collection, new Map([[key, value]]));
  }

  changes(): readonly DocumentChange[] {
    const changes: DocumentChange[] = [];
    for (const [collection, written] of this.documents)
      for (const [key, value] of written) changes.push(value === undefined ? remove(collection, key) : put(collection, key, value));
    return changes;
  }
}
