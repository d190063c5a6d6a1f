import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { NewEvent } from '#domain/shared/events.js';
import { firstPart, memberOf, orStream, type Partitioning, partitionOf, SHARED } from '#projections/shared/partitions.js';
import type { DocumentChange, Projection } from '#projections/shared/projection.js';
import { defineProjection, put, remove, removePrefix } from './define-projection.js';
import { newTallyEvent } from './tally-projection.js';

/** A change of one document, or of all under a prefix. `insert` puts text into the document that is there. */
export type Edit = Readonly<{ collection: string }> &
  (
    | Readonly<{ kind: 'put'; key: string; text: string; times: number }>
    | Readonly<{ kind: 'insert'; key: string; at: number; text: string }>
    | Readonly<{ kind: 'remove'; key: string }>
    | Readonly<{ kind: 'remove-prefix'; prefix: string }>
  );

/** Edits of one owner's documents, or of one and the other's, whose fates are one if it fails. */
export type ShelfEvent = Readonly<{
  type: 'Edited';
  data: Readonly<{ owner: string; other?: string; edits: readonly Edit[]; fails?: true }>;
}>;

export const SHELF = 'test.shelf';
export const SHELF_COLLECTIONS = ['books', 'books2', 'é'] as const;
/** One document, to which all owners add: the number of events. */
export const COUNTS = { collection: 'counts', key: 'events' } as const;

const partitions: Partitioning = {
  ofEvent: orStream(({ data }) => ['owner', 'other'].flatMap((name) => partitionOf('owner', memberOf(data, name)) ?? [])),
  owners: { ...Object.fromEntries(SHELF_COLLECTIONS.map((name) => [name, firstPart('owner')])), counts: SHARED },
};

const inserted = (before: string, at: number, text: string): string => {
  const place = at % (before.length + 1);
  return before.slice(0, place) + text + before.slice(place);
};

/** Documents of texts. @param isMended events that fail do so no more */
export const shelfProjection = (version: number, isMended: boolean): Projection =>
  defineProjection<ShelfEvent>({
    name: SHELF,
    version,
    service: 'ops',
    categories: [SHELF],
    handles: ['Edited'],
    partitions,
    reads: ({ data }) => [
      COUNTS,
      ...data.edits.flatMap((edit) => (edit.kind === 'insert' ? [{ collection: edit.collection, key: edit.key }] : [])),
    ],
    apply: ({ data }, read) => {
      if (data.fails && !isMended) throw new Error('it fails');
      const changes: DocumentChange[] = [];
      /** As the edits before have left it. */
      const current = (collection: string, key: string): string => {
        const last = changes.findLast(
          (one) => one.collection === collection && (one.kind === 'delete-prefix' ? key.startsWith(one.prefix) : one.key === key),
        );
        return String((last ? last.kind === 'put' && last.value : read(collection, key)) || '');
      };
      for (const edit of data.edits) {
        const { collection } = edit;
        if (edit.kind === 'put') changes.push(put(collection, edit.key, edit.text.repeat(edit.times)));
        else if (edit.kind === 'insert')
          changes.push(put(collection, edit.key, inserted(current(collection, edit.key), edit.at, edit.text)));
        else if (edit.kind === 'remove') changes.push(remove(collection, edit.key));
        else changes.push(removePrefix(collection, edit.prefix));
      }
      return [...changes, put(COUNTS.collection, COUNTS.key, Number(read(COUNTS.collection, COUNTS.key) ?? 0) + 1)];
    },
  });

export const newShelfEvent = ({ type, data }: ShelfEvent): NewEvent => ({
  ...newTallyEvent({ type: 'Noted', data: { text: '' } }),
  id: randomUUID(),
  type,
  data: { ...data },
});

const OWNERS = ['ann', 'bob', 'cy'] as const;
const part = fc.constantFrom('a', 'b', 'aa', 'a/', '\u0001', 'é', '\uffff', '😀');
const rest = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
const text = fc.string({ maxLength: 12, unit: 'grapheme' });

const editOf = (owner: string): fc.Arbitrary<Edit> => {
  const collection = fc.constantFrom(...SHELF_COLLECTIONS);
  const key = rest.map((end) => `${owner}/${end}`);
  const times = fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 9_000 }) });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), collection, key, text, times }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('insert' as const), collection, key, at: fc.nat(200_000), text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), collection, key }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('remove-prefix' as const),
        collection,
        prefix: fc.constantFrom('', 'a', 'a/', 'b').map((start) => `${owner}/${start}`),
      }),
    },
  );
};

/** Events of which few fail. */
export const shelfEvents: fc.Arbitrary<ShelfEvent> = fc
  .tuple(fc.constantFrom(...OWNERS), fc.constantFrom(...OWNERS, ...OWNERS.map(() => undefined)), fc.integer({ min: 0, max: 40 }))
  .chain(([owner, other, chance]) => {
    const edit = other === undefined ? editOf(owner) : fc.oneof(editOf(owner), editOf(other));
    return fc.array(edit, { minLength: 1, maxLength: 5 }).map(
      (edits): ShelfEvent => ({
        type: 'Edited',
        data: { owner, ...(other !== undefined && other !== owner && { other }), edits, ...(chance === 0 && { fails: true as const }) },
      }),
    );
  });

/** The documents after an event, and owners whose documents are not kept up. */
export class ShelfState {
  private constructor(
    private readonly documents: ReadonlyMap<string, ReadonlyMap<string, string>>,
    readonly setAside: ReadonlySet<string>,
  ) {}

  static readonly EMPTY = new ShelfState(new Map(), new Set());

  /** Key → stored text. */
  collection(name: string): ReadonlyMap<string, string> {
    return this.documents.get(name) ?? new Map();
  }

  after({ data }: ShelfEvent, isMended: boolean): ShelfState {
    const owners = data.other === undefined ? [data.owner] : [data.owner, data.other];
    if ((data.fails && !isMended) || owners.some((owner) => this.setAside.has(owner)))
      return new ShelfState(this.documents, new Set([...this.setAside, ...owners]));
    const documents = new Map([...this.documents].map(([name, texts]) => [name, new Map(texts)]));
    const texts = (name: string): Map<string, string> => {
      const found = documents.get(name) ?? new Map<string, string>();
      documents.set(name, found);
      return found;
    };
    for (const edit of data.edits) {
      const collection = texts(edit.collection);
      if (edit.kind === 'put') collection.set(edit.key, JSON.stringify(edit.text.repeat(edit.times)));
      else if (edit.kind === 'insert')
        collection.set(edit.key, JSON.stringify(inserted(JSON.parse(collection.get(edit.key) ?? '""'), edit.at, edit.text)));
      else if (edit.kind === 'remove') collection.delete(edit.key);
      else for (const key of [...collection.keys()]) if (key.startsWith(edit.prefix)) collection.delete(key);
    }
    const counts = texts(COUNTS.collection);
    counts.set(COUNTS.key, `${Number(counts.get(COUNTS.key) ?? 0) + 1}`);
    return new ShelfState(documents, this.setAside);
  }
}
