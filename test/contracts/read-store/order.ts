import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Change, KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import { randomRuns } from '#test/support/test-runs.js';
import { COLLECTION, keysOf, type OpenReadStore, PROJECTION, put, serveDocuments, useReadStore } from './fixture.js';

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The port in a few lines: what the adapters must agree with. */
class Model {
  readonly documents = new Map<string, string>();

  apply(change: Change): void {
    if (change.kind === 'put') this.documents.set(change.key, change.value);
    else if (change.kind === 'delete') this.documents.delete(change.key);
    else for (const key of this.documents.keys()) if (key.startsWith(change.prefix)) this.documents.delete(key);
  }

  within({ gte, gt, lte, lt }: KeyRange): readonly string[] {
    return [...this.documents.keys()]
      .sort(byBytes)
      .filter(
        (key) =>
          (gte === undefined || byBytes(key, gte) >= 0) &&
          (gt === undefined || byBytes(key, gt) > 0) &&
          (lte === undefined || byBytes(key, lte) <= 0) &&
          (lt === undefined || byBytes(key, lt) < 0),
      );
  }

  range(range: KeyRange): readonly (readonly [string, string | undefined])[] {
    const keys = range.reverse ? [...this.within(range)].reverse() : this.within(range);
    const { offset = 0, limit = keys.length, maxBytes = Number.POSITIVE_INFINITY } = range;
    const found = keys.slice(offset, offset + limit).map((key): [string, string | undefined] => [key, this.documents.get(key)]);
    let bytes = 0;
    const last = found.findIndex(([, value = '']) => {
      bytes += Buffer.byteLength(value);
      return bytes >= maxBytes;
    });
    return last < 0 ? found : found.slice(0, last + 1);
  }
}

// Few characters, so that keys collide, nest and neighbour: controls, separators, both sides of the surrogates, special ones of patterns.
const part = fc.constantFrom('a', 'b', '/', '\u0000', '\u0001', '\n', '*', '[', '(', '+', '-', 'é', '\uffff', '\ue000', '😀', '\u{10ffff}');
const text = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
const key = fc.tuple(part, text).map((parts) => parts.join(''));
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, fc.string({ maxLength: 5 })).map(([at, value]) => put(at, value)) },
  { weight: 2, arbitrary: key.map((at): Change => ({ kind: 'delete', collection: COLLECTION, key: at })) },
  { weight: 1, arbitrary: text.map((prefix): Change => ({ kind: 'delete-prefix', collection: COLLECTION, prefix })) },
);
const bounds: fc.Arbitrary<KeyRange> = fc
  .tuple(
    fc.oneof(
      fc.constant({}),
      text.map((gte) => ({ gte })),
      text.map((gt) => ({ gt })),
    ),
    fc.oneof(
      fc.constant({}),
      text.map((lte) => ({ lte })),
      text.map((lt) => ({ lt })),
    ),
    fc.record(
      { reverse: fc.boolean(), offset: fc.nat(8), limit: fc.nat(4), maxBytes: fc.integer({ min: 1, max: 12 }) },
      { requiredKeys: [] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts));

export const orderContract = (open: OpenReadStore): void => {
  const harness = useReadStore(open);

  it('sorts by the bytes of UTF-8, not by UTF-16 units', async () => {
    const { store } = harness();
    const keys = [
      '\u0000',
      '\u0000\u0000',
      '\u0000a',
      '\u0001',
      '\t',
      '\n',
      ' ',
      '0',
      'A',
      'a',
      'a\u0000',
      'a\u0000b',
      'a\u0001',
      'a/',
      'a/b',
      'aa',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '😀a',
      '\u{10ffff}',
      '\u{10ffff}\u{10ffff}',
    ];
    await serveDocuments(
      store,
      [...keys].reverse().map((at) => put(at, at)),
    );
    const view = store.view(PROJECTION);
    expect(await keysOf(view)).toEqual([...keys].sort(byBytes));
    expect(await keysOf(view)).toEqual(keys);
    expect(await keysOf(view, { reverse: true })).toEqual([...keys].reverse());
    expect(await keysOf(view, { gt: '\uffff', lt: '\u{10ffff}' })).toEqual(['😀', '😀a']);
    expect(await keysOf(view, { gte: 'a', lt: 'a/' })).toEqual(['a', 'a\u0000', 'a\u0000b', 'a\u0001']);
    for (const at of keys) expect((await view.get(COLLECTION, at))?.toString()).toBe(at);
  });

  it('agrees with a simple model on random commits and ranges', async () => {
    const { store } = harness();
    const plain = ({ key: at, value }: StoredDocument): readonly [string, string] => [at, value.toString()];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ changes: fc.array(change, { maxLength: 12 }), isFlushed: fc.boolean() }), { maxLength: 4 }),
        fc.array(bounds, { maxLength: 8 }),
        async (batches, ranges) => {
          const model = new Model();
          const namespace = await store.prepare(PROJECTION, 1);
          const view = store.documents(namespace);
          let checkpoint = 0n;
          for (const { changes, isFlushed } of batches) {
            await store.commit(namespace, changes, checkpoint, ++checkpoint);
            for (const one of changes) model.apply(one);
            if (isFlushed) await store.flush();
          }
          const found = await view.ranges(COLLECTION, [{}, ...ranges]);
          expect(found.map((documents) => documents.map(plain))).toEqual([{}, ...ranges].map((range) => model.range(range)));
          const named = batches.flatMap(({ changes }) => changes.flatMap((one) => (one.kind === 'delete-prefix' ? [] : one.key)));
          const texts = (await view.getMany(COLLECTION, named)).map((value) => value?.toString());
          expect(texts).toEqual(named.map((at) => model.documents.get(at)));
          for (const range of ranges) expect(await view.count(COLLECTION, range)).toBe(model.within(range).length);
        },
      ),
      randomRuns(150),
    );
  });
};
