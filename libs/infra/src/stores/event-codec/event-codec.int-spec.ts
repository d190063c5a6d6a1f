import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { SealBroken } from '#infra/stores/secrets/seal.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { FaultyEventStore } from '#test/support/event-stores/faulty-event-store.js';
import { forAny } from '#test/support/for-any.js';
import { contextAt, openTestLog, readAllOf, type TestLog } from '#test/support/projections/guest-list.js';
import { runs } from '#test/support/test-runs.js';
import { EventCodec } from './event-codec.js';
import { loggedJson } from './json.js';
import { EventSchemas, UnknownEventType } from './schemas.js';

const context = contextAt('2024-05-01T10:00:00.000Z');
const CATEGORY = 'test.people';

/** `PersonAdded` was first stored as `{ id, mail }`, then as `{ id, email }`, and is now `{ id, email, tags }`. */
const catalogue: EventCatalogue = {
  PersonAdded: {
    version: 3,
    upcasters: [({ mail, ...rest }) => ({ ...rest, email: mail ?? null }), (data) => ({ ...data, tags: [] })],
    sensitive: { subject: ({ id }) => `user-${id}`, members: ['email', 'phone'] },
  },
  Noted: {},
};
/** As an older release defined it. */
const firstCatalogue: EventCatalogue = { PersonAdded: { sensitive: { subject: ({ id }) => `user-${id}`, members: ['mail'] } } };

let log: TestLog;
let store: FaultyEventStore;
let keys: SubjectKeys;
let codec: EventCodec;

beforeEach(async () => {
  log = await openTestLog();
  store = new FaultyEventStore(log.store);
  keys = await openKeys();
  codec = new EventCodec({ [CATEGORY]: catalogue }, keys);
});
afterEach(() => log.close());

const openKeys = () => SubjectKeys.open({ store, masterKey: log.masterKey });
const recorded = (type: string, data: JsonObject, schemaVersion = 1): RecordedEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { ...context, schemaVersion },
  stream: `${CATEGORY}-1`,
  revision: 0n,
  position: 1n,
  recordedAt: 0,
});
const store1 = async (by: EventCodec, event: DomainEvent): Promise<RecordedEvent> => {
  const encoded = by.encode(CATEGORY, event);
  return recorded(event.type, await by.seal(encoded), encoded.schemaVersion);
};

describe('sealed members', () => {
  it('of any JSON type are read as they were written, and are unreadable in the log', async () => {
    await forAny(runs(60), fc.jsonValue(), fc.jsonValue(), async (email, extra) => {
      const data = asStored({ id: '1', email, extra } as JsonObject);
      const event = await store1(codec, { type: 'PersonAdded', data });
      expect(event.data.email).toEqual(data.email === null ? null : { $sealed: expect.any(String), subject: 'user-1' });
      expect(event.data.extra).toEqual(data.extra);
      const { email: opened } = (await codec.decode(event)).data;
      expect(asStored({ opened: opened ?? null })).toEqual(asStored({ opened: data.email ?? null }));
    });
  });

  it('are null when the key is destroyed, on that node and after a restart; nothing can be sealed for the subject any more', async () => {
    const event = await store1(codec, { type: 'PersonAdded', data: { id: '1', email: 'a@b.c', phone: 5, name: 'A', tags: [] } });
    await keys.destroy('user-1');
    for (const reader of [codec, new EventCodec({ [CATEGORY]: catalogue }, await openKeys())]) {
      expect((await reader.decode(event)).data).toEqual({ id: '1', email: null, phone: null, name: 'A', tags: [] });
    }
    await expect(store1(codec, { type: 'PersonAdded', data: { id: '1', email: 'x', tags: [] } })).rejects.toMatchObject({
      name: 'SubjectKeyDestroyed',
      subject: 'user-1',
    });
    // An event without secrets needs no key.
    expect(await store1(codec, { type: 'PersonAdded', data: { id: '1', tags: [] } })).toMatchObject({ data: { id: '1', tags: [] } });
  });

  it('cannot be moved to another member, event type or subject', async () => {
    const { data } = await store1(codec, { type: 'PersonAdded', data: { id: '1', email: 'a@b.c', tags: [] } });
    await keys.obtain('user-2');
    const sealed = data.email as JsonObject;
    expect(() => codec.decode(recorded('PersonAdded', { phone: sealed }, 3))).toThrow(SealBroken);
    expect(() => codec.decode(recorded('Noted', { email: sealed }))).toThrow(SealBroken);
    expect(() => codec.decode(recorded('PersonAdded', { email: { ...sealed, subject: 'user-2' } }, 3))).toThrow(SealBroken);
  });

  it('cannot be forged by data that look like one', async () => {
    for (const text of [{ $sealed: 'x', subject: 'user-1' }, { $sealed: null, plain: 1 }, { $sealed: 7 }]) {
      const event = await store1(codec, { type: 'Noted', data: { text, id: '1' } });
      expect((await codec.decode(event)).data).toEqual({ text, id: '1' });
    }
  });

  it('are opened synchronously if the keys are cached; missing keys are fetched once, in parallel', async () => {
    const events = await Promise.all(
      ['1', '2', '1', '3'].map((id) => store1(codec, { type: 'PersonAdded', data: { id, email: `${id}@x`, tags: [] } })),
    );
    const plain = recorded('Noted', { n: 1 });
    expect(codec.decodeAll([...events, plain])).not.toBeInstanceOf(Promise);
    expect(codec.decode(plain)).toBe(plain);
    const cold = new EventCodec({ [CATEGORY]: catalogue }, await openKeys());
    store.reads.length = 0;
    expect((await cold.decodeAll([...events, plain])).map(({ data }) => data.email)).toEqual(['1@x', '2@x', '1@x', '3@x', undefined]);
    expect(store.reads).toHaveLength(3);
    expect(cold.decodeAll(events)).not.toBeInstanceOf(Promise);
  });
});

describe('types and versions', () => {
  it('are upcast from every older version, with readable and with destroyed secrets', async () => {
    const first = new EventCodec({ [CATEGORY]: firstCatalogue }, keys);
    const old = await store1(first, { type: 'PersonAdded', data: { id: '1', mail: 'a@b.c' } });
    expect(old.metadata.schemaVersion).toBe(1);
    expect((await codec.decode(old)).data).toEqual({ id: '1', email: 'a@b.c', tags: [] });
    expect((await codec.decode(recorded('PersonAdded', { id: '1', email: 'x' }, 2))).data).toEqual({ id: '1', email: 'x', tags: [] });
    await keys.destroy('user-1');
    expect((await codec.decode(old)).data).toEqual({ id: '1', email: null, tags: [] });
  });

  it('that no catalogue lists are an error when read and when written', () => {
    for (const event of [recorded('Other', {}), recorded('constructor', {}), { ...recorded('Noted', {}), stream: 'test.other-1' }]) {
      expect(() => codec.decode(event)).toThrow(UnknownEventType);
      expect(() => codec.decodeAll([recorded('Noted', {}), event])).toThrow(UnknownEventType);
    }
    expect(() => codec.decode(recorded('Noted', {}, 2))).toThrow('unknown event type Noted version 2 in category test.people');
    expect(() => codec.encode(CATEGORY, { type: 'Other', data: {} })).toThrow(UnknownEventType);
    expect(() => codec.encode('toString', { type: 'Noted', data: {} })).toThrow(UnknownEventType);
  });

  it('need an upcaster for each older version', () => {
    expect(() => new EventSchemas({ [CATEGORY]: { Noted: { version: 2 } } })).toThrow(RangeError);
  });
});

describe('plain data', () => {
  it('become what the log will return', () => {
    const data = JSON.parse('{"a":[1,{"b":null}],"__proto__":{"x":1},"c":"é\\u0000\\"","d":-0}');
    const copy = loggedJson({ ...data, gone: undefined });
    expect(copy).toEqual(JSON.parse(JSON.stringify(data)));
    expect(Object.is(copy.d, 0)).toBe(true);
    expect(Object.keys(loggedJson(data))).toEqual(['a', '__proto__', 'c', 'd']);
    const logged = JSON.parse('{"a":[1,{"b":null}],"__proto__":{"x":1}}');
    expect(loggedJson(logged)).toBe(logged);
    expect(Object.keys(loggedJson({ a: undefined, b: 1 }))).toEqual(['b']);
  });

  it.each([
    [{ a: new Date(0) }, 'a'],
    [{ a: { b: [1, new Map()] } }, 'a.b[1]'],
    [{ n: 1n }, 'n'],
    [{ n: Number.POSITIVE_INFINITY }, 'n'],
    [{ f: () => 1 }, 'f'],
    [{ list: [undefined] }, 'list[0]'],
    [{ sparse: Object.assign([1], { length: 2 }) }, 'sparse'],
    [{ a: [1, Number.NaN] }, 'a[1]'],
    [{ lists: [[], [{ f: undefined }, { f: () => 1 }]] }, 'lists[1][1].f'],
    [[1], 'its top'],
  ])('that are not JSON are refused: %p', (data, place) => {
    expect(() => loggedJson(data)).toThrow(new TypeError(`event data is not JSON at ${place}`));
  });

  it('are measured exactly', async () => {
    await forAny(100, fc.jsonValue(), (value) => {
      const data = { value, gone: undefined };
      const { bytes, dataText } = codec.encode(CATEGORY, { type: 'Noted', data });
      expect([dataText, bytes]).toEqual([JSON.stringify(data), Buffer.byteLength(dataText)]);
    });
  });
});

it('the processor decides on readable data, stores them sealed in the current version, and folds them again after a restart', async () => {
  type Added = Readonly<{ type: 'PersonAdded'; data: Readonly<{ id: string; email: string | null; tags: readonly string[] }> }>;
  type Add = Readonly<{ id: string; email: string }>;
  const people: Decider<Map<string, string | null>, Add, Added> = {
    initialState: () => new Map(),
    decide: ({ id, email }, state) => {
      if ([...state.values()].includes(email)) throw new Error('taken');
      return [{ type: 'PersonAdded', data: { id, email, tags: ['new'] } }];
    },
    evolve: (state, { data }) => state.set(data.id, data.email),
  };
  const stream = `${CATEGORY}-all`;
  const processorWith = async () => new StreamProcessor(store, new EventCodec({ [CATEGORY]: catalogue }, await openKeys()));
  const first = new EventCodec({ [CATEGORY]: firstCatalogue }, keys);
  const { id, type, data, metadata } = await store1(first, { type: 'PersonAdded', data: { id: '0', mail: 'old@x' } });
  await log.store.append(stream, [{ id, type, data, metadata }], 'no-stream');

  const processor = await processorWith();
  const add = (by: StreamProcessor, command: Add) => by.execute({ stream, decider: people, command, context });
  await expect(add(processor, { id: '1', email: 'old@x' })).rejects.toMatchObject({ message: 'taken' });
  const added = await Promise.all(['1', '2', '3'].map((n) => add(processor, { id: n, email: `${n}@x` })));
  expect(added[1]?.events).toMatchObject([{ revision: 2n, data: { id: '2', email: '2@x', tags: ['new'] } }]);
  const stored = await readAllOf(log.store, stream);
  expect(stored[2]?.data).toEqual({ id: '2', email: { $sealed: expect.any(String), subject: 'user-2' }, tags: ['new'] });
  expect(stored[2]?.metadata.schemaVersion).toBe(3);

  const restarted = await processorWith();
  await expect(add(restarted, { id: '4', email: '2@x' })).rejects.toMatchObject({ message: 'taken' });
  await keys.destroy('user-2');
  const afterwards = await processorWith();
  expect(await add(afterwards, { id: '4', email: '2@x' })).toMatchObject({ events: [{ revision: 4n }] });
  // The subject of one command has been erased: only that command is refused, whatever else is in the batch.
  const mixed = await Promise.allSettled(['5', '2', '6'].map((n) => add(afterwards, { id: n, email: `new ${n}` })));
  expect(mixed).toMatchObject([
    { value: { events: [{ revision: 5n }] } },
    { reason: { name: 'SubjectKeyDestroyed' } },
    { value: { events: [{ revision: 6n }] } },
  ]);
});

it('the processor stores data that look sealed as what they are', async () => {
  const noting: Decider<null, JsonObject, DomainEvent> = {
    initialState: () => null,
    decide: (data) => [{ type: 'Noted', data }],
    evolve: (state) => state,
  };
  const stream = `${CATEGORY}-notes`;
  const text = { $sealed: 'x', subject: 'user-1' };
  const { events } = await new StreamProcessor(store, codec).execute({ stream, decider: noting, command: { text, n: 1 }, context });
  expect(events).toMatchObject([{ data: { text, n: 1 } }]);
  expect((await readAllOf(log.store, stream))[0]?.data).toEqual({ text: { $sealed: null, plain: text }, n: 1 });
});

const asStored = (data: JsonObject): JsonObject => JSON.parse(JSON.stringify(data));
