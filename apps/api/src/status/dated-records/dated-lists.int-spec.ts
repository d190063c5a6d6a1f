import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { BodyOfPieces } from '#api/shared/answers/pieces.js';
import type { AnswerBody } from '#api/shared/http/answer.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { openRedisReadStore } from '#infra/stores/read-store/redis/redis-read-store.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { DATED_RECORDS, datedCollections } from '#projections/status/dated-records/documents.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { Cleanup } from '#test/support/cleanup.js';
import { startRedis } from '#test/support/redis/redis.js';
import { runs } from '#test/support/test-runs.js';
import { DatedLists } from './dated-lists.js';

const RECORDS = runs(60_000);
const TENANT = 'tenant';
const { snapshots, records, lastChanges } = datedCollections(weights);
const cleanup = new Cleanup();
afterAll(() => cleanup.run());

const embedded = async (isAlone = false) => {
  const path = await mkdtemp(join(tmpdir(), 'logbook-records-'));
  cleanup.defer(() => rm(path, { recursive: true, force: true }));
  return openDocumentStore({ path, isAlone });
};
const onRedis = async () => {
  const redis = await startRedis();
  cleanup.defer(() => redis.stop());
  return openRedisReadStore({ url: redis.url, keyPrefix: redis.keyPrefix });
};

/** The text of a body as it is sent. */
const sent = async (answered: Promise<AnswerBody>): Promise<string> => {
  const body = await answered;
  const made = body instanceof BodyOfPieces ? await body.made() : body;
  return made instanceof Readable ? text(made) : `${made}`;
};

const recordAt = (n: number, date: string) => {
  const id = String(n).padStart(8, '0');
  return { id, date, name: `record ${n % 2 ? 'odd' : n}`, weight_type: 'hepspec', group_type: 'SITES', groups: [] };
};
const changesFor = (n: number): readonly Change[] => {
  const put = (collection: string, key: string, value: string): Change => ({ kind: 'put', collection, key, value });
  const { id } = recordAt(n, '');
  const days = ['2024-01-01', '2024-02-01'].map((date) => {
    const body = recordAt(n, date);
    const document = { head: { date, name: body.name, weight_type: body.weight_type }, body };
    return put(snapshots.name, snapshots.key({ tenantId: TENANT, id, date }), String(snapshots.codec?.encode(document) ?? ''));
  });
  return [...days, put(records.name, records.key({ tenantId: TENANT, id }), '{}')];
};

/** Counts the reads of its views. */
class CountingStore extends DelegatingReadStore {
  reads = 0;

  override view(projection: string): ReadView {
    return new Proxy(super.view(projection), {
      get: (view, name: Exclude<keyof ReadView, 'asOf'>) => {
        this.reads++;
        return view[name].bind(view);
      },
    });
  }
}

describe('bodies of dated records', () => {
  it.each([
    [true, 0],
    [false, 3],
  ])('are kept until records of the tenant change; whether they have is read only if others commit: alone %s', async (isAlone, asked) => {
    const store = new CountingStore(await embedded(isAlone));
    cleanup.defer(() => store.close());
    const namespace = await store.prepare(DATED_RECORDS, 1);
    const commit = (n: number, stamp: string): Promise<void> => {
      const lastChange: Change = { kind: 'put', collection: lastChanges.name, key: lastChanges.key(TENANT), value: stamp };
      return store.commit(namespace, [...changesFor(n), lastChange], BigInt(n), BigInt(n + 1));
    };
    await commit(0, 'first');
    await store.serve(namespace);
    const lists = new DatedLists(new DatedQueries(store, weights), store);
    const countOn = async (day: string): Promise<number> => JSON.parse(await sent(lists.ofTenant(TENANT, day))).data.length;
    expect(await countOn('2024-01-31')).toBe(1);
    store.reads = 0;
    for (let n = 0; n < 3; n++) expect(await countOn('2024-01-31')).toBe(1);
    expect(store.reads).toBe(asked);
    await commit(1, 'second');
    expect(await countOn('2024-01-31')).toBe(2);
    lists.close();
  });
});

describe.each([
  ['embedded', embedded],
  ['Redis', onRedis],
] as const)('60,000 dated records in the read store %s', (_name, open) => {
  it('are listed as of a day', async () => {
    const store = await open();
    cleanup.defer(() => store.close());
    const namespace = await store.prepare(DATED_RECORDS, 1);
    const numbers = Array.from({ length: RECORDS }, (_, n) => n);
    await store.commit(namespace, numbers.flatMap(changesFor), 0n, 1n);
    await store.serve(namespace);
    const lists = new DatedLists(new DatedQueries(store, weights), store);
    const listed = async (day: string, name?: string) => {
      const { data } = JSON.parse(await sent(lists.ofTenant(TENANT, day, name))) as { data: readonly unknown[] };
      return data;
    };
    for (const [asked, held] of [
      ['2024-01-31', '2024-01-01'],
      ['2024-02-01', '2024-02-01'],
    ] as const) {
      const data = await listed(asked);
      expect([data.length, data[0], data.at(-1)]).toEqual([RECORDS, recordAt(0, held), recordAt(RECORDS - 1, held)]);
    }
    expect(await listed('2023-12-31')).toEqual([]);
    expect(await listed('2024-03-01', 'record 4')).toEqual([recordAt(4, '2024-02-01')]);
    expect(await listed('2024-03-01', 'record odd')).toHaveLength(RECORDS / 2);
  });
});
