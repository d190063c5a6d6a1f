import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ERASED } from '#domain/shared/marks.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { ERASED_VALUE } from '#projections/shared/erased.js';
import { type Namespace, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { embeddedDocuments } from '#test/contracts/read-store/embedded-documents.js';
import { COLLECTION, PROJECTION, put } from '#test/contracts/read-store/fixture.js';
import { readStoreContract } from '#test/contracts/read-store.contract.js';
import { openTestLog } from '#test/support/projections/guest-list.js';
import { openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { SealedDocuments } from './sealed-documents.js';
import { SealedReadStore } from './sealed-read-store.js';

const NAME = 'test.people';
const projection = { name: NAME, sealed: { people: [{ path: 'name', subject: ({ key }: { key: string }) => `person-${key}` }] } };

/** The port's contract, with the collection of its tests sealed. */
readStoreContract('sealed, over embedded documents', async () => {
  const log = await openTestLog();
  const keys = await SubjectKeys.open({ store: log.store, masterKey: log.masterKey });
  const documents = new SealedDocuments(keys, [
    { name: PROJECTION, sealed: { [COLLECTION]: [{ path: 'name', subject: () => 'somebody' }] } },
  ]);
  return embeddedDocuments(
    {},
    (store) => new SealedReadStore(store, documents),
    () => log.close(),
  );
});

describe.each(['embedded', 'redis'] as const)('sealed read models on %s', (kind) => {
  let lab: RunnerLab;
  let keys: SubjectKeys;
  let sealing: SealedDocuments;
  let store: ReadStore;
  let namespace: Namespace;

  beforeEach(async () => {
    lab = await openRunnerLab(kind);
    keys = await SubjectKeys.open({ store: lab.events, masterKey: randomBytes(32) });
    sealing = new SealedDocuments(keys, [projection]);
    store = new SealedReadStore(lab.store, sealing);
    namespace = await store.prepare(NAME, 1);
    await store.serve(namespace);
  });
  afterEach(() => lab.dispose());

  const textOf = (id: number): string => JSON.stringify({ id, name: `secret ${id}` });
  const fill = async (count: number): Promise<void> => {
    const people = Array.from({ length: count }, (_, id) => put(`${id}`.padStart(4, '0'), textOf(id), 'people'));
    await store.commit(namespace, [...people, put('1', 'open, "name": 1', 'others')], 0n, 1n);
  };
  const names = async (view = store.view(NAME)): Promise<readonly unknown[]> =>
    (await view.range('people', {})).map(({ value }) => JSON.parse(value.toString()).name);

  it('contain no secret in plain text, and are read as they were written, by every kind of read', async () => {
    await fill(450);
    const raw = (await lab.store.view(NAME).range('people', {})).map(({ value }) => value.toString());
    expect(raw).toHaveLength(450);
    expect(raw.join()).not.toContain('secret');
    for (const view of [store.view(NAME), store.documents(namespace)]) {
      expect((await view.get('people', '0007'))?.toString()).toBe(textOf(7));
      expect(await view.get('people', 'none')).toBeNull();
      expect((await view.getMany('people', ['0449', 'none', '0000'])).map((value) => value?.toString())).toEqual([
        textOf(449),
        undefined,
        textOf(0),
      ]);
      expect(await names(view)).toEqual(Array.from({ length: 450 }, (_, id) => `secret ${id}`));
      const [first, second] = await view.ranges('people', [{ limit: 1, reverse: true }, { lt: '0002' }]);
      expect([...(first ?? []), ...(second ?? [])].map(({ key, value }) => [key, value.toString()])).toEqual([
        ['0449', textOf(449)],
        ['0000', textOf(0)],
        ['0001', textOf(1)],
      ]);
      expect((await view.get('others', '1'))?.toString()).toBe('open, "name": 1');
      expect(await view.count('people', {})).toBe(450);
    }
  });

  it('show nothing of a subject whose key is gone, and continue without it', async () => {
    await fill(3);
    await keys.destroy('person-0001');
    expect(await names()).toEqual(['secret 0', '', 'secret 2']);
    await store.commit(namespace, [put('0001', textOf(1), 'people')], 1n, 2n);
    const raw = await lab.store.view(NAME).get('people', '0001');
    expect(raw?.toString()).not.toContain('secret');
    expect(await names()).toEqual(['secret 0', '', 'secret 2']);
  });

  it('tell auditors what was erased from what was never given, also after a change, and when they are made after the erasure', async () => {
    await fill(3);
    await keys.destroy('person-0001');
    const [{ value } = { value: Buffer.of() }] = await store.documents(namespace).range('people', { gte: '0001', lt: '0002' });
    const nameless = (id: string) => put(id, JSON.stringify({ id, name: '', note: 'changed' }), 'people');
    await store.commit(
      namespace,
      [put('0001', value.toString().replace('"id":1', '"id":1,"changed":true'), 'people'), nameless('0002')],
      1n,
      2n,
    );
    const built = { id: 4, name: ERASED_VALUE, note: `of ${ERASED_VALUE}` };
    await store.commit(namespace, [put('0004', JSON.stringify(built), 'people')], 2n, 3n);
    const marked = sealing.opened(lab.store.view(NAME), NAME, { personal: true });
    expect(await names(marked)).toEqual(['secret 0', ERASED, '', ERASED]);
    expect(await names()).toEqual(['secret 0', '', '', '']);
    const raw = (await lab.store.view(NAME).range('people', {})).map(({ value: text }) => text.toString());
    expect(raw.join()).not.toContain(ERASED_VALUE);
    expect(JSON.parse((await store.view(NAME).get('people', '0004'))?.toString() ?? '')).toEqual({ id: 4, name: '', note: 'of ' });
  });

  it('are the same bytes after a rebuild', async () => {
    await fill(2);
    const before = await lab.store.view(NAME).range('people', {});
    const again = await store.prepare(NAME, 1);
    await store.commit(again, [put('0000', textOf(0), 'people'), put('0001', textOf(1), 'people')], 0n, 1n);
    await store.serve(again);
    expect(await lab.store.view(NAME).range('people', {})).toEqual(before);
  });

  it('are not served if somebody altered or moved them', async () => {
    await fill(2);
    const raw = (await lab.store.view(NAME).get('people', '0001'))?.toString() ?? '';
    await lab.store.commit(namespace, [put('0000', raw, 'people')], 1n, 2n);
    await expect(store.view(NAME).get('people', '0000')).rejects.toThrow(ReadStoreUnavailable);
    expect((await store.view(NAME).get('people', '0001'))?.toString()).toBe(textOf(1));
  });
});
