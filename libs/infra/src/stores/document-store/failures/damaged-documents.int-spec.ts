import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { type Change, type Namespace, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { put } from '#test/contracts/read-store/fixture.js';
import { changeLetter, damageAtRandom, randomNumbers } from '#test/support/event-stores/damage.js';
import { runs } from '#test/support/test-runs.js';
import { openDocumentStore } from '../open.js';
import type { ReadModelDamage } from './condition.js';

let directory: string;
let path: string;
let opened: ReadStore[];
let found: ReadModelDamage[];
let reports: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logbook-documents-'));
  path = join(directory, 'documents');
  [opened, found, reports] = [[], [], []];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(directory, { recursive: true });
});

const open = async (keepsPast = true): Promise<ReadStore> => {
  const store = await openDocumentStore({
    path,
    keepsPast: () => keepsPast,
    report: (message) => reports.push(message),
    onDamage: (damage) => found.push(damage),
  });
  opened.push(store);
  return store;
};
const word = (key: string, value: string): Change => put(key, value, 'words');
const build = async (store: ReadStore, projection: string, changes: readonly Change[]): Promise<Namespace> => {
  const namespace = await store.prepare(projection, 1);
  await store.commit(namespace, changes, 0n, 7n);
  await store.serve(namespace);
  return namespace;
};

/** File of the build that was prepared under this number. */
const fileOf = (number: number): string => join(path, `${number}.docs`);

it('damaged documents are not served, nor others of their projection, until they have been rebuilt', async () => {
  const words = [word('one', 'first value'), word('two', 'second value')];
  let store = await open();
  await build(store, 'words', words);
  await build(store, 'others', [word('one', 'another')]);
  await store.close(); // evicts texts from memory
  changeLetter(fileOf(1), 'value');
  store = await open();
  const { namespace } = (await store.standing('words')) ?? {};
  const view = store.view('words');
  const reads = [
    () => view.get('words', 'two'),
    () => view.get('words', 'one'),
    () => view.getMany('words', ['none']),
    () => view.range('words', {}),
    () => view.ranges('words', [{}]),
    () => (namespace ? store.documents(namespace).get('words', 'one') : Promise.reject(new Error('nothing is served'))),
  ];
  for (const read of reads) await expect(read()).rejects.toThrow(ReadStoreUnavailable);
  expect(found).toEqual([{ projection: 'words', error: expect.any(Error) }]);
  expect(await store.trouble()).toBe('damaged documents are being built anew: words');
  expect(String(await store.view('others').get('words', 'one'))).toBe('another');

  await build(store, 'words', words);
  expect((await view.range('words', {})).map(({ value }) => value.toString())).toEqual(['first value', 'second value']);
  expect(await store.trouble()).toBeNull();
  await store.close();
  const again = await open();
  expect((await again.view('words').range('words', {})).map(({ key }) => key)).toEqual(['one', 'two']);
  expect(await again.trouble()).toBeNull();
  expect(found).toHaveLength(1);
});

it.each(['fourth', 'bytes'])('texts of several pieces and bytes are not served damaged, but built anew: %s', async (damaged) => {
  const changes: readonly Change[] = [
    ...['first ', 'second ', 'third ', 'fourth '].map((piece) => ({ kind: 'append', collection: 'rows', key: 'one', piece }) as const),
    { kind: 'put', collection: 'parts', key: 'one', value: Buffer.from('\0bytes') },
  ];
  let store = await open(false);
  const namespace = await store.prepare('rows', 1);
  for (const [index, change] of changes.entries()) await store.commit(namespace, [change], BigInt(index), BigInt(index + 1));
  await store.serve(namespace);
  await store.close();
  changeLetter(fileOf(1), damaged);
  store = await open(false);
  const view = store.view('rows');
  const read = () => view.get(damaged === 'bytes' ? 'parts' : 'rows', 'one');
  await expect(read()).rejects.toThrow(ReadStoreUnavailable);
  await expect(view.getMany('rows', ['one'])).rejects.toThrow(ReadStoreUnavailable);
  expect(found).toEqual([{ projection: 'rows', error: expect.any(Error) }]);
  await build(store, 'rows', changes);
  expect([String(await view.get('rows', 'one')), String(await view.get('parts', 'one'))]).toEqual([
    'first second third fourth ',
    '\0bytes',
  ]);
});

it('documents of a newer version are refused, and stay as they are', async () => {
  const store = await open();
  await build(store, 'words', [word('one', 'first word')]);
  await store.close();
  const list = join(path, 'builds');
  const rows = JSON.parse(checkedText('builds', readFileSync(list, 'utf8')) ?? '');
  writeFileSync(list, withChecksum('builds', JSON.stringify({ ...rows, format: 4 })));
  const files = () =>
    readdirSync(path).map((name) => [name, name.endsWith('.docs') || name === 'builds' ? readFileSync(join(path, name)) : '']);
  const before = files();
  await expect(open()).rejects.toThrow(
    `${path} was written by a newer version of Logbook (format 4; this one reads up to 3). Start that version, or move the directory away`,
  );
  expect([files(), reports]).toEqual([before, []]);
});

it('a directory that cannot be used is named', async () => {
  writeFileSync(path, '');
  await expect(open()).rejects.toThrow(EnvironmentError);
  await expect(open()).rejects.toThrow(`${path} `);
});

it.each([
  ['a build', () => fileOf(1)],
  ['the index', () => join(path, 'index', 'data.mdb')],
] as const)('documents are those of before, at some commit, or refused or gone, wherever the damage of %s is', async (_, file) => {
  const store = await open();
  const values = (position: number) =>
    Array.from({ length: 60 }, (__, n) => word(`key ${n}`, `${position} value ${n} `.repeat((n * 7) % 90)));
  const namespace = await store.prepare('words', 1);
  await store.serve(namespace);
  for (let position = 1; position <= 5; position++) await store.commit(namespace, values(position), BigInt(position - 1), BigInt(position));
  await build(store, 'others', values(1));
  await store.close();
  const whole = path;
  const read = async (reader: ReadStore, projection: string) => {
    const standing = await reader.standing(projection);
    const documents = await reader.view(projection).range('words', {});
    return { checkpoint: standing?.checkpoint, texts: new Map(documents.map(({ key, value }) => [key, value.toString()])) };
  };
  const random = randomNumbers(1_789);
  let refusals = 0;
  const copies = runs(100, 30);
  for (let copy = 0; copy < copies; copy += 1) {
    path = join(directory, `copy-${copy}`);
    cpSync(whole, path, { recursive: true });
    const damage = damageAtRandom(file(), random);
    const reader = await open();
    const answer = await read(reader, 'words').catch((error: unknown) => {
      expect([damage, error]).toEqual([damage, expect.any(ReadStoreUnavailable)]);
      return undefined;
    });
    if (answer?.checkpoint !== undefined) {
      const texts = values(Number(answer.checkpoint)).flatMap((change) =>
        change.kind === 'put' ? [[change.key, change.value] as const] : [],
      );
      expect([damage, answer.texts]).toEqual([damage, new Map(answer.checkpoint === 0n ? [] : texts)]);
    } else {
      expect([damage, answer?.texts.size ?? 0]).toEqual([damage, 0]);
      refusals += 1;
    }
    expect([damage, (await read(reader, 'others').catch(() => undefined))?.texts.size]).toEqual([damage, 60]);
    await build(reader, 'words', [word('one', 'first word')]);
    expect(await reader.view('words').range('words', {})).toHaveLength(1);
    await reader.close();
  }
  if (file() === fileOf(1)) expect(refusals).toBeGreaterThan(copies / 5);
});
