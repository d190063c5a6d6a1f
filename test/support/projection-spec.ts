import { expect } from '@jest/globals';
import type { DomainEvent, EventMetadata, JsonObject, ServiceName } from '#domain/shared/events.js';
import { WorkingSet } from '#infra/engine/projection-runner/steps/working-set.js';
import { type DocumentCodec, type DocumentKey, decoded, type ProjectedEvent, type Projection } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { applyChange } from '#test/support/apply-change.js';
import { freeze } from '#test/support/freeze.js';
import { expectOwnDocuments } from '#test/support/projections/partition-rules.js';

/** Collection → key → document. */
export type Documents = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An event with as much of its surroundings as the test cares for. `metadata` is laid over the default. */
export type GivenEvent = DomainEvent &
  Readonly<Partial<Pick<ProjectedEvent, 'id' | 'stream' | 'revision' | 'position' | 'recordedAt'>> & { metadata?: Partial<EventMetadata> }>;

/** Texts, or bytes. */
type Texts = Map<string, Map<string, string | Buffer>>;
type StoredDocuments = Record<string, Record<string, string | Buffer>>;

const specTime = '2024-01-02T03:04:05.678Z';

const metadata = (service: ServiceName): EventMetadata => ({
  time: specTime,
  actor: { kind: 'key', id: 'spec' },
  service,
  requestId: 'request',
  correlationId: 'request',
  causationId: 'request',
  schemaVersion: 1,
});

/** Positions 10, 20, 30 … by default, as a log has gaps; revisions count in each stream. */
const record = (projection: Projection, given: readonly GivenEvent[]): readonly ProjectedEvent[] => {
  const revisions = new Map<string, bigint>();
  return given.map((event, index) => {
    const stream = event.stream ?? `${projection.categories[0]?.replace('.*', '.spec')}-spec`;
    const revision = event.revision ?? revisions.get(stream) ?? 0n;
    revisions.set(stream, revision + 1n);
    const data: JsonObject = JSON.parse(JSON.stringify(event.data));
    return freeze({
      id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      recordedAt: Date.parse(specTime),
      position: BigInt(index + 1) * 10n,
      ...event,
      stream,
      revision,
      data,
      metadata: { ...metadata(projection.service), ...event.metadata },
    });
  });
};

/** A projection that changes in place what it was given would go wrong in a batch: here it throws. */
const freezing = (projection: Projection): Projection => ({
  ...projection,
  apply: (event, read) => freeze(projection.apply(event, (...asked) => freeze(read(...asked)))),
});

/** Each event keeps to the documents of its partitions. */
const keepingApart = (projection: Projection, stored: Texts): Projection => ({
  ...projection,
  apply: (event, read) => {
    const changes = projection.apply(event, read);
    expectOwnDocuments(projection, stored, event, [...projection.reads(event), ...(projection.readsNext?.(event, read) ?? [])], changes);
    return changes;
  },
});

const write = (stored: Texts, changes: readonly Change[]): void => {
  for (const change of changes) {
    const texts = stored.get(change.collection) ?? new Map<string, string | Buffer>();
    stored.set(change.collection, texts);
    applyChange(texts, change);
  }
};

const applyTo = (stored: Texts, projection: Projection, events: readonly ProjectedEvent[]): WorkingSet => {
  const set = new WorkingSet(projection);
  const handled = events.filter(({ type }) => projection.handles.has(type));
  const named = handled.map((event) => projection.reads(event));
  const texts = (collection: string, keys: readonly string[]): readonly (Buffer | null)[] =>
    keys.map((key) => stored.get(collection)?.get(key)).map((text) => (text === undefined ? null : Buffer.from(text)));
  const learn = (keys: readonly DocumentKey[]): void => {
    for (const [collection, missing] of set.missing(keys)) set.learn(collection, missing, texts(collection, missing));
    for (const [collection, missing] of set.missing(keys, 'length'))
      set.learnLengths(
        collection,
        missing,
        texts(collection, missing).map((text) => text?.length ?? null),
      );
  };
  learn(named.flat());
  for (const [index, event] of handled.entries()) {
    const all = set.furtherNamed(event, named[index] ?? []);
    learn(all);
    for (let lacks = set.apply(event, all); lacks; lacks = set.apply(event, all))
      set.learn(lacks.collection, [lacks.key], texts(lacks.collection, [lacks.key]));
  }
  write(stored, set.changes());
  return set;
};

const sorted = (stored: Texts): StoredDocuments =>
  Object.fromEntries(
    [...stored].filter(([, texts]) => texts.size > 0).map(([collection, texts]) => [collection, Object.fromEntries([...texts].sort())]),
  );

/** All documents as stored, after the events came one by one and, to the same effect, all in one batch. */
export const storedAfter = (projection: Projection, given: readonly GivenEvent[]): StoredDocuments => {
  const events = record(projection, given);
  const inOneBatch: Texts = new Map();
  applyTo(inOneBatch, freezing(projection), events);
  const oneByOne: Texts = new Map();
  for (const event of events) applyTo(oneByOne, keepingApart(freezing(projection), oneByOne), [event]);
  expect(sorted(inOneBatch)).toEqual(sorted(oneByOne));
  return sorted(oneByOne);
};

/** Likewise as stored text. */
export const textsAfter = (projection: Projection, given: readonly GivenEvent[]): Record<string, Record<string, string>> =>
  mapped(storedAfter(projection, given), (_collection, stored) => String(stored));

const mapped = <Document>(
  stored: StoredDocuments,
  map: (collection: string, stored: string | Buffer) => Document,
): Record<string, Record<string, Document>> =>
  Object.fromEntries(
    Object.entries(stored).map(([collection, documents]) => [
      collection,
      Object.fromEntries(Object.entries(documents).map(([key, one]) => [key, map(collection, one)])),
    ]),
  );

const JSON_CODEC: DocumentCodec = { encode: JSON.stringify, decode: JSON.parse };

const documentsAfter = (projection: Projection, given: readonly GivenEvent[]): Documents =>
  mapped(storedAfter(projection, given), (collection, stored) => decoded(projection.codecs?.[collection] ?? JSON_CODEC, stored));

/**
 * Tests of projections, without a store: `const given = projectionSpec(p); given(a, b).then({ collection: { key: document } })`.
 * The events are applied one by one and once more in one batch; both must give the same stored texts. Each keeps to its partitions.
 */
export const projectionSpec =
  (projection: Projection) =>
  (...events: readonly GivenEvent[]) => ({
    /** These documents and no others. */
    then: (expected: Documents): void => expect(documentsAfter(projection, events)).toEqual(expected),
    /** Among others, exactly these documents of these collections. */
    thenCollections: (expected: Documents): void => {
      const documents = documentsAfter(projection, events);
      expect(Object.fromEntries(Object.keys(expected).map((collection) => [collection, documents[collection] ?? {}]))).toEqual(expected);
    },
    /** The stored text of one document, byte for byte; `null` = there is none. */
    thenText: (collection: string, key: string, expected: string | null): void =>
      expect(textsAfter(projection, events)[collection]?.[key] ?? null).toBe(expected),
    /** Number, from 1, of the last event that shows that earlier ones have left the log; `null`: none does. */
    thenLost: (expected: number | null): void => {
      const { lost } = applyTo(new Map(), projection, record(projection, events));
      expect(lost && Number(lost) / 10).toBe(expected);
    },
    /** The error with which the last event is refused. */
    thenFails: (message: string | RegExp): void => expect(() => textsAfter(projection, events)).toThrow(message),
  });
