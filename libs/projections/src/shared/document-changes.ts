import type { DocumentRef } from './collection.js';
import type { DocumentChange, ReadDocument } from './projection.js';
import type { Handler } from './read-model.js';

/**
 * Changes of documents by one event. Each change is visible to the next one, and only the last state of a document is written. A document can be read
 * before it is written if the handler declared it.
 */
export class DocumentChanges {
  private readonly states = new Map<string, Map<string, unknown>>();

  constructor(private readonly read: ReadDocument) {}

  get<Document>({ collection, key }: DocumentRef<Document>): Document | undefined {
    const written = this.states.get(collection);
    return (written?.has(key) ? written.get(key) : this.read(collection, key)) as Document | undefined;
  }

  /** `undefined` removes the document. */
  set<Document>({ collection, key }: DocumentRef<Document>, document: Document | undefined): void {
    const written = this.states.get(collection);
    if (written) written.set(key, document);
    else this.states.set(collection, new Map([[key, document]]));
  }

  get all(): readonly DocumentChange[] {
    const changes: DocumentChange[] = [];
    for (const [collection, written] of this.states)
      for (const [key, value] of written)
        changes.push(value === undefined ? { kind: 'delete', collection, key } : { kind: 'put', collection, key, value });
    return changes;
  }
}

/** A handler that changes documents in sequence. `references`: the documents it may read (state the type of its event, `EventOf<…>`). */
export const changing = <Event>(
  references: (event: Event) => readonly DocumentRef<unknown>[],
  apply: (event: Event, documents: DocumentChanges) => void,
): Handler<Event> => ({
  reads: references,
  apply: (event, read) => {
    const documents = new DocumentChanges(read);
    apply(event, documents);
    return documents.all;
  },
});
