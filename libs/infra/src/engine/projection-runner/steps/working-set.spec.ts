import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextEventId } from '#domain/shared/event-ids.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { BYTES, type DocumentChange, type DocumentKey, type Projection, textCodec } from '#projections/shared/projection.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { applyChange } from '#test/support/apply-change.js';
import { forAny } from '#test/support/for-any.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { append, put, remove, removePrefix } from '#test/support/projections/define-projection.js';
import { fold } from '#test/support/projections/fold.js';
import { decodeTally, newTallyEvent, type TallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { RecentDocuments } from './recent-documents.js';
import { WorkingSet } from './working-set.js';

const recorded = (event: TallyEvent | { type: string; data: object }, index: number): RecordedEvent => ({
  ...newTallyEvent({ type: 'Noted', data: { text: '' } }),
  type: event.type,
  data: { ...event.data },
  stream: 'test.tally-1',
  revision: BigInt(index),
  position: BigInt(index + 1) * 7n,
  recordedAt: 0,
});

const counted = (name: string, by: number): TallyEvent => ({ type: 'Counted', data: { name, by } });
const cleared = (prefix: string): TallyEvent => ({ type: 'Cleared', data: { prefix } });

const lengthOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Buffer.byteLength(text));

/** A store with these documents, which counts calls. */
const storeWith = (documents: Record<string, string>) => {
  const text = (collection: string, key: string) => documents[`${collection}/${key}`];
  const calls: string[] = [];
  const unused = () => Promise.reject(new Error('not part of a batch'));
  const view: ReadView = {
    getMany: async (collection, keys) => {
      calls.push(`${collection}: ${keys.join(' ')}`);
      return keys.map((key) => {
        const found = text(collection, key);
        return found === undefined ? null : Buffer.from(found);
      });
    },
    lengths: async (collection, keys) => {
      calls.push(`lengths of ${collection}: ${keys.join(' ')}`);
      return keys.map((key) => lengthOf(text(collection, key)) ?? null);
    },
    get: unused,
    range: unused,
    ranges: unused,
    count: unused,
  };
  return { view, calls };
};

/** Changes of the events before the first that fails, and its failure. */
const applyBatch = async (
  projection: Projection,
  decode: DecodeEvents,
  view: ReadView,
  events: readonly RecordedEvent[],
  { form = 'newest', recent = null }: Readonly<{ form?: 'newest' | 'versions'; recent?: RecentDocuments | null }> = {},
) => {
  const set = new WorkingSet(projection, form, recent);
  const failure = await fold(projection, decode, view, set, events);
  const changes = set.changes();
  set.remember();
  return { changes, failure };
};

const run = (events: readonly TallyEvent[], documents: Record<string, string> = {}, projection = tallyProjection()) =>
  applyBatch(projection, decodeTally, storeWith(documents).view, events.map(recorded));

/** A projection that changes one collection as the event says. */
const scripted = (reads: readonly DocumentKey[], changes: (read: (key: string) => unknown) => readonly DocumentChange[]): Projection => ({
  ...tallyProjection(),
  reads: () => reads,
  apply: (_event, read) => changes((key) => read('c', key)),
});

describe('a batch', () => {
  it('shows each event what the earlier ones left, and writes each document once', async () => {
    const { changes, failure } = await run([counted('a', 1), counted('a', 2), counted('b', 5)], { 'totals/a': '{"sum":10,"events":4}' });
    expect(failure).toBeNull();
    expect(changes).toEqual([
      { kind: 'put', collection: 'totals', key: 'a', value: '{"sum":13,"events":6}' },
      { kind: 'put', collection: 'totals', key: 'b', value: '{"sum":5,"events":1}' },
      { kind: 'put', collection: 'history', key: 'a/000000005', value: '11' },
      { kind: 'put', collection: 'history', key: 'a/000000006', value: '13' },
      { kind: 'put', collection: 'history', key: 'b/000000001', value: '5' },
    ]);
  });

  it('fetches what it reads with one call for each collection, each key once', async () => {
    const { view, calls } = storeWith({});
    await applyBatch(tallyProjection(), decodeTally, view, [counted('a', 1), counted('b', 1), counted('a', 1)].map(recorded));
    expect(calls).toEqual(['totals: a b']);
  });

  it('reads nothing under a prefix removed before, and keeps what is written after', async () => {
    const { changes } = await run([counted('ab', 1), cleared('a'), counted('ab', 2), counted('b', 1)], {
      'totals/ab': '{"sum":10,"events":4}',
    });
    expect(changes).toEqual([
      { kind: 'delete-prefix', collection: 'totals', prefix: 'a' },
      { kind: 'delete-prefix', collection: 'history', prefix: 'a' },
      { kind: 'put', collection: 'totals', key: 'ab', value: '{"sum":2,"events":1}' },
      { kind: 'put', collection: 'totals', key: 'b', value: '{"sum":1,"events":1}' },
      { kind: 'put', collection: 'history', key: 'ab/000000001', value: '2' },
      { kind: 'put', collection: 'history', key: 'b/000000001', value: '1' },
    ]);
  });

  it('ends before an event of an unknown type, even if the projection does not handle it', async () => {
    const events = [counted('a', 1), { type: 'Surprise', data: {} }, counted('a', 1)].map(recorded);
    const { changes, failure } = await applyBatch(tallyProjection(), decodeTally, storeWith({}).view, events);
    expect(failure).toMatchObject({
      event: { id: events[1]?.id, type: 'Surprise', position: 14n },
      message: expect.stringContaining('unknown event type Surprise in category test.tally'),
    });
    expect(changes).toContainEqual({ kind: 'put', collection: 'totals', key: 'a', value: '{"sum":1,"events":1}' });
  });

  it.each<[string, Projection, string]>([
    ['reads what it did not name', scripted([{ collection: 'c', key: 'a' }], (read) => [put('c', 'x', read('b'))]), 'did not name'],
    ['writes an empty key', scripted([], () => [put('c', '', 1)]), '1 to 1500 bytes'],
    ['writes a key that is too long', scripted([], () => [put('c', 'ä'.repeat(751), 1)]), '1 to 1500 bytes'],
    ['adds no text', scripted([], () => [append('c', 'x', JSON.parse('1'))]), 'is no text'],
    ['puts nothing', scripted([], () => [put('c', 'x', undefined)]), 'without a value'],
  ])('fails at an event whose projection %s', async (_title, projection, message) => {
    const { changes, failure } = await run([counted('a', 1)], { 'c/b': '1' }, projection);
    expect(failure?.message).toContain(message);
    expect(failure?.event.position).toBe(7n);
    expect(changes).toEqual([]);
  });

  it('names the event whose version cannot be encoded', async () => {
    const projection: Projection = {
      ...tallyProjection(),
      reads: () => [],
      apply: ({ position }) => [put('c', 'x', position > 7n ? position : 'good')],
    };
    const events = [counted('a', 1), counted('a', 1)].map(recorded);
    await expect(applyBatch(projection, decodeTally, storeWith({}).view, events, { form: 'versions' })).rejects.toMatchObject({
      name: 'EventFailed',
      event: { position: 14n },
    });
  });

  it('has the effect of its changes applied one after another, whatever they are', async () => {
    await forAny(100, scripts, before, async (script, documents) => {
      const expected = new Map(Object.entries(documents));
      const { changes, failure } = await run(
        script.map(() => counted('x', 1)),
        stored(documents),
        checking(script, expected),
      );
      expect(failure).toBeNull();
      expect(applied(changes, documents)).toEqual(Object.fromEntries(expected));
    });
  });

  it('has the same effect in steps of several reads', async () => {
    await forAny(100, scripts, before, fc.infiniteStream(fc.nat(3)), async (script, documents, chance) => {
      const expected = new Map(Object.entries(documents));
      const projection = checking(script, expected);
      const recent = new RecentDocuments();
      let there = documents;
      let set = new WorkingSet(projection, 'newest', recent);
      const flush = (): void => {
        there = applied(set.changes(), there);
        set.remember();
        set = new WorkingSet(projection, 'newest', recent);
      };
      const byChance = (): boolean => chance.next().value === 0;
      for (const event of script.map((_, index) => recorded(counted('x', 1), index))) {
        expect(await fold(projection, decodeTally, storeWith(stored(there)).view, set, [event])).toBeNull();
        if (!byChance()) set.encodeUnread();
        if (byChance()) flush();
      }
      flush();
      expect(there).toEqual(Object.fromEntries(expected));
    });
  });

  it.each(['versions', 'newest'] as const)('has the same effect in batches that know what the last ones have read (%s)', async (form) => {
    await forAny(100, scripts, before, fc.infiniteStream(fc.nat(2)), async (script, documents, chance) => {
      const expected = new Map(Object.entries(documents));
      const projection = checking(script, expected);
      const recent = new RecentDocuments();
      let there = documents;
      let batch: RecordedEvent[] = [];
      for (const event of script.map((_, index) => recorded(counted('x', 1), index))) {
        batch.push(event);
        if (event.revision < script.length - 1 && chance.next().value !== 0) continue;
        const { changes, failure } = await applyBatch(projection, decodeTally, storeWith(stored(there)).view, batch, { form, recent });
        expect(failure).toBeNull();
        there = applied(changes, there);
        batch = [];
      }
      expect(there).toEqual(Object.fromEntries(expected));
    });
  });

  it('knows a document that was read without a look at the store, but not one with sealed members', async () => {
    const reads = async (recent: RecentDocuments): Promise<readonly string[]> => {
      const asked: string[] = [];
      for (const index of [0, 1]) {
        const { view } = storeWith({ 'c/a': '1' });
        const getMany: ReadView['getMany'] = (collection, keys) => {
          asked.push(`${index} ${collection}/${keys}`);
          return view.getMany(collection, keys);
        };
        const projection = scripted([{ collection: 'c', key: 'a' }], (read) => [put('c', 'a', Number(read('a')) + 1)]);
        const { changes } = await applyBatch(projection, decodeTally, { ...view, getMany }, [recorded(counted('a', 1), index)], { recent });
        expect(changes).toHaveLength(1);
      }
      return asked;
    };
    expect(await reads(new RecentDocuments())).toEqual(['0 c/a']);
    expect(await reads(new RecentDocuments({ c: [] }))).toEqual(['0 c/a', '1 c/a']);
  });

  it('names the event whose document cannot be encoded', async () => {
    const projection = scripted([], () => [put('c', 'x', 1n)]);
    const set = new WorkingSet(projection);
    await fold(projection, decodeTally, storeWith({}).view, set, [recorded(counted('a', 1), 0)]);
    const failure = expect.objectContaining({ name: 'EventFailed', event: expect.objectContaining({ position: 7n }) });
    expect(() => set.changes()).toThrow(failure);
    expect(() => set.encodeUnread()).toThrow(failure);
  });
});

const key = fc.stringMatching(/^[ab]{1,3}$/);
const text = fc.stringMatching(/^[1é€]{0,3}$/);
const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key, value: text }),
  fc.record({ kind: fc.constant('append' as const), key, value: text }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('delete-prefix' as const), key: fc.stringMatching(/^[ab]{0,2}$/) }),
);
type Step = typeof step extends fc.Arbitrary<infer Made> ? Made : never;
/** Changes of each event. */
const scripts = fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 });
const before = fc.dictionary(key, text, { noNullPrototype: true });
const stored = (documents: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(documents).map(([name, value]) => [`c/${name}`, value]));

const FORMS = [undefined, 'length', 'lazy'] as const;

/** Follows the script, also in `expected`, and compares the reads of each event with it. */
const checking = (script: readonly (readonly Step[])[], expected: Map<string, string>): Projection => {
  const keys = ['a', 'b', 'ab', 'aba', 'bb'];
  // Some events read nothing, so some documents are written again without being read.
  const named = ({ revision }: Pick<RecordedEvent, 'revision'>): readonly DocumentKey[] =>
    keys.slice(0, Number(revision) % (keys.length + 1)).map((name, index) => {
      const form = FORMS[(Number(revision) + index) % FORMS.length];
      return { collection: 'c', key: name, ...(form && { form }) };
    });
  return {
    ...tallyProjection(),
    codecs: { c: textCodec },
    reads: named,
    apply: (event, read) => {
      for (const { key: name, form } of named(event))
        if (form !== 'lazy' || event.revision % 2n === 0n)
          expect(read('c', name, form)).toBe(form === 'length' ? lengthOf(expected.get(name)) : expected.get(name));
      return (script[Number(event.revision)] ?? []).map((step) => {
        if (step.kind === 'put') expected.set(step.key, step.value);
        else if (step.kind === 'append') expected.set(step.key, (expected.get(step.key) ?? '') + step.value);
        else
          for (const name of [...expected.keys()])
            if (step.kind === 'delete' ? name === step.key : name.startsWith(step.key)) expected.delete(name);
        return changeOf(step);
      });
    },
  };
};

const applied = (changes: readonly Change[], before: Record<string, string>): Record<string, string> => {
  const documents = new Map(Object.entries(before));
  for (const change of changes) applyChange(documents, change);
  return Object.fromEntries(documents);
};

describe('documents of bytes', () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  const projection = (apply: Projection['apply']): Projection => ({
    ...tallyProjection(),
    codecs: { c: BYTES },
    reads: () => [{ collection: 'c', key: 'a' }],
    apply,
  });
  const two = [counted('x', 1), counted('x', 1)].map(recorded);

  it('are read and written as they are', async () => {
    const seen: unknown[] = [];
    const adding = projection((_event, read) => {
      seen.push(read('c', 'a'));
      return [put('c', 'a', Buffer.concat([(read('c', 'a') as Buffer | undefined) ?? Buffer.alloc(0), bytes]))];
    });
    const { view } = storeWith({});
    const { changes } = await applyBatch(adding, decodeTally, { ...view, getMany: async () => [bytes] }, two);
    expect(seen).toEqual([bytes, Buffer.concat([bytes, bytes])]);
    expect(changes).toEqual([{ kind: 'put', collection: 'c', key: 'a', value: Buffer.concat([bytes, bytes, bytes]) }]);
  });

  it('fail at the event that puts something else', async () => {
    const putting = projection(() => [put('c', 'a', 'text')]);
    await expect(applyBatch(putting, decodeTally, storeWith({}).view, two, { form: 'versions' })).rejects.toMatchObject({
      event: { position: 7n },
      message: expect.stringContaining('is something else'),
    });
  });
});

describe('versions of an append', () => {
  /** The script is followed event by event. `begins`: places of events with which a command begins. */
  const versionsOf = async (
    script: readonly (readonly DocumentChange[])[],
    begins: readonly number[] = [0],
    streams: readonly string[] = [],
  ) => {
    const events: RecordedEvent[] = [];
    for (const index of script.keys()) {
      const event = recorded(counted('x', 1), index);
      const id = begins.includes(index) ? event.id : nextEventId(events.at(-1)?.id ?? '');
      events.push({ ...event, id, stream: streams[index] ?? event.stream });
    }
    const projection: Projection = { ...tallyProjection(), reads: () => [], apply: ({ revision }) => script[Number(revision)] ?? [] };
    return applyBatch(projection, decodeTally, storeWith({}).view, events, { form: 'versions' });
  };
  const at = (position: bigint, change: DocumentChange) =>
    change.kind === 'put' ? { ...change, value: JSON.stringify(change.value), position } : { ...change, position };

  it('are one for each document, at the position of the last event that changes it', async () => {
    const { changes } = await versionsOf([
      [put('c', 'a', 1), put('c', 'b', 1)],
      [put('c', 'a', 2), append('c', 't', '1')],
      [remove('c', 'b'), append('c', 't', '2')],
    ]);
    expect(changes).toEqual([at(14n, put('c', 'a', 2)), at(21n, remove('c', 'b')), at(21n, append('c', 't', '12'))]);
  });

  it.each<[string, readonly number[], readonly string[]]>([
    ['the next command', [0, 1], []],
    ['another stream', [0], ['test.tally-1', 'test.tally-2']],
  ])('end with %s', async (_, begins, streams) => {
    const { changes } = await versionsOf([[put('c', 'a', 1)], [put('c', 'a', 2)]], begins, streams);
    expect(changes).toEqual([at(7n, put('c', 'a', 1)), at(14n, put('c', 'a', 2))]);
  });

  it('end with the removal of a prefix', async () => {
    const { changes } = await versionsOf([
      [put('c', 'a', 1)],
      [removePrefix('c', 'a')],
      [put('c', 'a', 2), put('c', 'b', 1)],
      [put('c', 'b', 2)],
    ]);
    expect(changes).toEqual([
      at(7n, put('c', 'a', 1)),
      at(14n, removePrefix('c', 'a')),
      at(21n, put('c', 'a', 2)),
      at(28n, put('c', 'b', 2)),
    ]);
  });

  it('that cannot be encoded are the failure of the event that wrote it last', () =>
    expect(versionsOf([[put('c', 'a', 1)], [put('c', 'a', 1n)], [put('c', 'b', 1)]])).rejects.toMatchObject({
      name: 'EventFailed',
      event: { position: 14n },
    }));

  it('have the effect of all their changes, whatever they are', async () => {
    await forAny(100, scripts, fc.array(fc.nat(11)), async (script, begins) => {
      const changed = script.map((steps) => steps.map((one) => changeOf(one)));
      const { changes } = await versionsOf(changed, [0, ...begins]);
      const ends = script.map((_, index) => index + 1).filter((next) => next === script.length || begins.includes(next));
      for (const end of ends) {
        const expected = new Map<string, string>();
        for (const change of changed.slice(0, end).flat())
          applyChange(expected, change.kind === 'put' ? { ...change, value: JSON.stringify(change.value) } : change);
        const shown = changes.filter(({ position = 0n }) => position <= BigInt(end) * 7n);
        expect(applied(shown, {})).toEqual(Object.fromEntries(expected));
      }
    });
  });
});

const changeOf = (one: Step): DocumentChange => {
  if (one.kind === 'put') return put('c', one.key, one.value);
  if (one.kind === 'append') return append('c', one.key, one.value);
  return one.kind === 'delete' ? remove('c', one.key) : removePrefix('c', one.key);
};

describe('pieces added to a text', () => {
  /** Events of a batch, each with what it reads and does. */
  const batch = (
    documents: Record<string, string>,
    events: readonly ((read: (key: string, form?: DocumentKey['form']) => unknown) => readonly DocumentChange[])[],
    reads: readonly DocumentKey[] | ((event: number) => readonly DocumentKey[]) = [],
    options: Parameters<typeof applyBatch>[4] = {},
  ) => {
    const { view, calls } = storeWith(documents);
    const projection: Projection = {
      ...tallyProjection(),
      codecs: { c: textCodec },
      reads: ({ revision }) => (typeof reads === 'function' ? reads(Number(revision)) : reads),
      apply: ({ revision }, read) => events[Number(revision)]?.((key, form) => read('c', key, form)) ?? [],
    };
    const recordedEvents = events.map((_, index) => recorded(counted('x', 1), index));
    return applyBatch(projection, decodeTally, view, recordedEvents, options).then(({ changes, failure }) => ({ changes, failure, calls }));
  };
  const adding = (key: string, piece: string) => () => [append('c', key, piece)];
  const a: DocumentKey = { collection: 'c', key: 'a' };
  const [length, lazy] = [
    { ...a, form: 'length' as const },
    { ...a, form: 'lazy' as const },
  ];

  it('are one change, and the text is not fetched', async () => {
    const { changes, calls } = await batch({ 'c/a': 'x' }, [adding('a', '1'), adding('b', '2'), adding('a', '3')]);
    expect(changes).toEqual([append('c', 'a', '13'), append('c', 'b', '2')]);
    expect(calls).toEqual([]);
  });

  it('are a change of each event where versions are kept', async () => {
    const { changes } = await batch({}, [adding('a', '1'), adding('a', '2')], [], { form: 'versions' });
    expect(changes).toEqual([
      { ...append('c', 'a', '1'), position: 7n },
      { ...append('c', 'a', '2'), position: 14n },
    ]);
  });

  it('are part of a text that the batch has written, also after a removal', async () => {
    const steps = [() => [put('c', 'a', 'x'), remove('c', 'b'), removePrefix('c', 'p')], ...['a', 'b', 'p'].map((key) => adding(key, '1'))];
    const { changes } = await batch({}, steps);
    expect(changes).toEqual([removePrefix('c', 'p'), put('c', 'a', 'x1'), put('c', 'b', '1'), put('c', 'p', '1')]);
  });

  it('are seen by the next event, in the text and in its length', async () => {
    const seen: unknown[] = [];
    const looking = (read: (key: string, form?: DocumentKey['form']) => unknown) => {
      seen.push([read('a'), read('a', 'length')]);
      return [append('c', 'a', 'é')];
    };
    const { changes, calls } = await batch({ 'c/a': 'x' }, [looking, looking, looking], [a, length]);
    expect(seen).toEqual([
      ['x', 1],
      ['xé', 3],
      ['xéé', 5],
    ]);
    expect(changes).toEqual([append('c', 'a', 'ééé')]);
    expect(calls.toSorted()).toEqual(['c: a', 'lengths of c: a']);
  });

  it('count in a length that later batches know without a look at the store', async () => {
    const recent = new RecentDocuments();
    const seen: unknown[] = [];
    const looking = (read: (key: string, form?: DocumentKey['form']) => unknown) => {
      seen.push(read('a', 'length'));
      return [append('c', 'a', '12')];
    };
    const first = await batch({ 'c/a': 'x' }, [looking, looking], [length], { recent });
    const second = await batch({ 'c/a': 'x1212' }, [looking], [length], { recent });
    expect(seen).toEqual([1, 3, 5]);
    expect([first.calls, second.calls]).toEqual([['lengths of c: a'], []]);
  });

  it('follow a text that is fetched only when an event reads it', async () => {
    const seen: unknown[] = [];
    const { changes, calls } = await batch(
      { 'c/a': 'x' },
      [
        adding('a', '1'),
        (read) => {
          seen.push(read('a', 'lazy'));
          return [append('c', 'a', '2')];
        },
      ],
      [lazy],
    );
    expect(seen).toEqual(['x1']);
    expect(changes).toEqual([append('c', 'a', '12')]);
    expect(calls).toEqual(['c: a']);
    expect((await batch({ 'c/a': 'x' }, [adding('a', '1')], [lazy])).calls).toEqual([]);
  });

  it('are fetched together if an event needs many of the texts that it may read', async () => {
    const reads = Array.from({ length: 20 }, (_, n): DocumentKey => ({ collection: 'c', key: `k${n}`, form: 'lazy' }));
    const { calls } = await batch(
      {},
      [(read) => [put('c', 'all', String(reads.filter(({ key }) => read(key, 'lazy') !== undefined).length))]],
      reads,
    );
    expect(calls.length).toBeLessThan(6);
  });

  it('are fetched for more and more of the next events where one after the other needs a text', async () => {
    const keyOf = (index: number): DocumentKey => ({ collection: 'c', key: `k${index}`, form: 'lazy' });
    const events = Array.from({ length: 100 }, (_, index) => (read: (key: string, form?: DocumentKey['form']) => unknown) => [
      put('c', `sum${index}`, `${read(`k${index}`, 'lazy') ?? 'none'}`),
    ]);
    const { changes, calls } = await batch({ 'c/k7': 'x' }, events, (index) => [keyOf(index)]);
    expect(changes).toHaveLength(100);
    expect(changes).toContainEqual(put('c', 'sum7', 'x'));
    expect(calls.length).toBeLessThan(8);
  });
});

describe('the projection spec', () => {
  it('compares all documents, the named collections, or one text', () => {
    const after = projectionSpec(tallyProjection())(counted('a', 1), counted('a', 2), { type: 'Noted', data: { text: 'x' } });
    after.then({ totals: { a: { sum: 3, events: 2 } }, history: { 'a/000000001': 1, 'a/000000002': 3 } });
    after.thenCollections({ totals: { a: { sum: 3, events: 2 } }, nothing: {} });
    after.thenText('totals', 'a', '{"sum":3,"events":2}');
    expect(() => after.then({ totals: { a: { sum: 3, events: 2 } } })).toThrow();
  });

  it('catches a projection that changes what it has read in place', () => {
    const projection: Projection = { ...tallyProjection(), reads: () => [{ collection: 'c', key: 'x' }], apply: growInPlace };
    projectionSpec(projection)(counted('a', 1), counted('a', 1)).thenFails('read only');
  });

  it('catches a document that is different after it has been stored', () => {
    const projection: Projection = {
      ...tallyProjection(),
      reads: () => [{ collection: 'c', key: 'x' }],
      apply: (_event, read) => [put('c', 'x', typeof read('c', 'x') === 'string' ? 'was text' : new Date(0))],
    };
    projectionSpec(projection)(counted('a', 1), counted('a', 1)).thenFails('toEqual');
  });
});

const growInPlace: Projection['apply'] = (_event, read) => {
  const list = (read('c', 'x') as { n: number } | undefined) ?? { n: 0 };
  list.n += 1;
  return [put('c', 'x', list)];
};
