import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { integrityCatalogues } from '#domain/integrity/integrity-events.js';
import { LOG_CATEGORY, logEvents } from '#domain/operations/log-events.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { beginVerification, detailsOf } from '#infra/engine/integrity/verification/state.js';
import { LogVerification } from '#infra/engine/integrity/verification/verification.js';
import { keysOfLog } from '#infra/engine/integrity/verification/verification-kind.js';
import type { Job, JobControl } from '#infra/engine/jobs/job.js';
import { inspectDataFile } from '#infra/platform/lmdb/inspection.js';
import type { Catalogues } from '#infra/stores/event-codec/schemas.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { LogInspector } from '#infra/stores/event-store/embedded/storage/log-inspector.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { changeLetter } from '#test/support/event-stores/damage.js';
import { type LogServer, startLogServer } from '#test/support/eventstoredb/log-server.js';
import { chain, eventAt } from '#test/support/integrity/chained-log.js';
import { exportedLines } from '#test/support/integrity/exported-lines.js';
import { backUpLog } from './backups/backup.js';
import { type BackupDetails, BackupKind } from './backups/backup-kind.js';
import { restoreLog } from './backups/restore.js';
import { chainAtHead } from './chain-at-head.js';
import { refuseUnfinishedImport } from './import-marker.js';
import { importLog } from './log-import.js';

const MASTER_KEY = Buffer.alloc(32, 7);

let root: string;
let server: LogServer;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'logbook-copies-'));
  server = await startLogServer();
});
afterEach(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

const embedded = (name: string): EmbeddedEventStore => openEmbeddedEventStore({ path: join(root, name) });

const event = (type: string, data: JsonObject, minute = 0): NewEvent => ({ ...eventAt(minute * 60, data), type });

const message = (text: string, minute: number): NewEvent =>
  event('MessagePublished', { data: text, attributes: { lone: '\ud800' } }, minute);

/** Chains the events of a log and signs an anchor over them. @returns its size */
const anchored = async (events: ImportTarget): Promise<number> => (await chain(events, 100, await new LogIdentity(events).open())).size;

/** Fills an installation with every case that an import must handle. @returns the size of its anchor */
const fill = async (events: ImportTarget): Promise<number> => {
  await new LogIdentity(events).open();
  const keys = await keysOf(events);
  for (const subject of ['user-1', 'user-2']) await keys.obtain(subject);
  for (let minute = 0; minute < 30; minute += 1) {
    await events.append('messaging.messages-part', [message(`m${minute}`, minute), message('x', minute)], 'any');
    await events.append('messaging.messages-gone', [message('gone', minute)], 'any');
    await events.append(`test.things-${minute % 3}`, [event('Happened', { number: minute, half: 0.5 }, minute)], 'any');
  }
  await events.append('messaging.messages-large', [message('L'.repeat(1_500_000), 40)], 'no-stream');
  const size = await anchored(events);
  await events.truncate('messaging.messages-part', 41n);
  await events.truncate('messaging.messages-gone', 30n);
  await keys.destroy('user-1');
  await keys.destroy('user-without-key');
  await events.append('test.things-1', [event('Happened', { last: true }, 50)], 'any');
  return size;
};

const catalogues: Catalogues = {
  ...integrityCatalogues,
  [LOG_CATEGORY]: logEvents,
  'messaging.messages': { MessagePublished: {}, Later: {} },
  'test.things': { Happened: {} },
};

const exported = (events: ImportTarget, from = 0): Promise<string[]> => exportedLines(events, catalogues, from);

const keysOf = (store: ImportTarget): Promise<SubjectKeys> => SubjectKeys.open({ store, masterKey: MASTER_KEY });

const taken = (target: ImportTarget, lines: readonly string[], beforeServing = async () => {}) =>
  importLog({
    target,
    input: Readable.from(lines.map((line) => Buffer.from(`${line}\n`))),
    catalogues,
    keys: null,
    retentionOf: () => ({ maxAgeSeconds: null }),
    beforeServing,
  });

const withoutPositions = (lines: readonly string[]): readonly string[] => lines.map((line) => line.replace(/"position":"\d+",/, ''));

const stores: readonly (readonly [string, (name: string) => ImportTarget])[] = [
  ['embedded log', embedded],
  ['EventStoreDB', () => openEventStoreDb({ connectionString: server.connectionString })],
];

describe.each(stores)('a copy on %s', (_, open) => {
  it('has the same events, leaves, anchors and gaps, and goes on in the same chain', async () => {
    const source = embedded('original');
    await fill(source);
    const lines = await exported(source);
    const copy = open('copy');
    const { size, tree } = await chainAtHead(source).then(({ tree: found }) => ({ size: found.size, tree: found }));
    expect(await taken(copy, lines)).toEqual({ installation: expect.any(String), size, root: tree.root().toString('hex'), signedTo: null });
    expect(withoutPositions(await exported(copy))).toEqual(withoutPositions(lines));

    expect(lines.filter((line) => line.includes('"expired":true'))).toHaveLength(41 + 30);
    expect(lines.some((line) => line.includes('SubjectKeyCreated') && line.includes('user-1'))).toBe(false);
    await refuseUnfinishedImport(copy);
    for (const [stream, revision] of [
      ['messaging.messages-gone', 29n],
      ['keys.subject-user-1', 1n],
    ] as const)
      expect((await copy.append(stream, [event('Later', {})], 'any')).revision).toBe(revision + 1n);
    expect((await copy.readStream('messaging.messages-part', { limit: 1 }))[0]?.revision).toBe(41n);
    expect(await anchored(copy)).toBeGreaterThan(size);
    await source.close();
    await copy.close();
  });

  it('is continued from an anchor, by its own continuation only', async () => {
    const source = embedded('original');
    const early = await fill(source);
    const size = await anchored(source);
    const copy = open('copy');
    const lines = await exported(source);
    await taken(copy, lines);
    await source.append('test.things-9', [event('Happened', { new: true }, 60)], 'no-stream');
    await source.append('messaging.messages-part', [message('new', 61)], 'any');
    await anchored(source);
    await expect(taken(copy, await exported(source, early))).rejects.toThrow('line 1: continues a log of size');
    const { size: now } = await taken(copy, await exported(source, size));
    expect(now).toBeGreaterThan(size + 1);
    expect(withoutPositions(await exported(copy))).toEqual(withoutPositions(await exported(source)));
    await expect(exported(source, size + 1)).rejects.toThrow(`there is no anchor of size ${size + 1}`);
    await source.close();
    await copy.close();
  });

  it('is continued after a list of erasures was applied to it', async () => {
    const source = embedded('original');
    await fill(source);
    const size = await anchored(source);
    const copy = open('copy');
    await taken(copy, await exported(source), async () => (await keysOf(copy)).destroy('user-2'));
    await (await keysOf(source)).destroy('user-2');
    await source.append('test.things-9', [event('Happened', { new: true }, 60)], 'no-stream');
    await anchored(source);
    await taken(copy, await exported(source, size));
    expect(await (await keysOf(copy)).state('user-2')).toMatchObject({ state: 'destroyed' });
    expect(await copy.readStream('test.things-9', { limit: 1 })).toHaveLength(1);
    await source.close();
    await copy.close();
  });

  it('goes on where a killed import ended, and is neither served nor exported before', async () => {
    const source = embedded('original');
    await fill(source);
    const lines = await exported(source);
    const copy = open('copy');
    for (const cut of [3, 60, lines.length - 1]) {
      await expect(taken(copy, lines.slice(0, cut))).rejects.toThrow(`line ${cut + 1}: is missing`);
      await expect(refuseUnfinishedImport(copy)).rejects.toThrow('has not ended');
      await expect(exported(copy)).rejects.toThrow('has not ended');
    }
    await taken(copy, lines);
    await refuseUnfinishedImport(copy);
    expect(withoutPositions(await exported(copy))).toEqual(withoutPositions(lines));
    await expect(taken(copy, lines)).rejects.toThrow('the log is not empty');
    await source.close();
    await copy.close();
  });
});

describe('a backup', () => {
  it('is a copy of the log as it was, beside appends, and becomes the log of an empty installation', async () => {
    const source = embedded('original');
    await fill(source);
    const lines = await exported(source);
    const directory = join(root, 'backups', 'one');
    const [backup] = await Promise.all([backUpLog(source, directory), source.append('test.things-9', [event('Happened', {})], 'any')]);
    expect(readdirSync(directory)).toEqual(['log']);
    expect(readdirSync(join(directory, 'log')).sort()).toEqual(['data.mdb', 'store.json']);
    expect(backup.bytes).toBeLessThanOrEqual(statSync(join(root, 'original', 'data.mdb')).size);
    await expect(backUpLog(source, directory)).rejects.toThrow('is not empty');
    await expect(restoreLog({ directory, target: join(root, 'original') })).rejects.toThrow('open');
    await source.close();
    await expect(restoreLog({ directory, target: join(root, 'original') })).rejects.toThrow('is not empty');

    const target = join(root, 'restored', 'log');
    mkdirSync(join(root, 'restored'));
    if (process.getuid?.() === 0) chownSync(join(root, 'restored'), 1, 1);
    expect(await restoreLog({ directory, target })).toEqual(backup);
    const ownerOf = (...names: string[]): number => statSync(join(root, 'restored', ...names)).uid;
    expect(['', 'data.mdb', 'store.json'].map((name) => ownerOf('log', name))).toEqual(Array.from({ length: 3 }, () => ownerOf()));
    const restored = openEmbeddedEventStore({ path: target });
    const [, ...found] = await exported(restored);
    expect(found.slice(0, lines.length - 2)).toEqual(lines.slice(1, -1));
    // Size and root verify the copy although its last events are not chained yet.
    const { size } = backup;
    expect((await chainAtHead(restored)).tree.size).toBeGreaterThan(size);
    const state = await beginVerification(restored, 0);
    const { signal } = new AbortController();
    const keys = await keysOfLog(restored);
    const verified = await new LogVerification({ store: restored, keys, anchors: [backup], state, signal }).run();
    expect(detailsOf(verified, true)).toMatchObject({ intact: true, verifiedTo: size, root: backup.root });
    await restored.close();
  });

  it('is never placed inside another one, nor inside one that is being made', async () => {
    const source = embedded('original');
    await fill(source);
    const outer = join(root, 'outer');
    await backUpLog(source, outer);
    for (const inner of ['inner', 'deep/inner', 'log/inner'])
      await expect(backUpLog(source, join(outer, inner))).rejects.toThrow(`is inside the backup in ${outer}`);
    expect(readdirSync(outer)).toEqual(['log']);
    const begun = join(root, 'begun');
    const both = await Promise.allSettled([backUpLog(source, begun), backUpLog(source, join(begun, 'inner'))]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await backUpLog(source, join(root, 'beside', 'another'));
    await source.close();
  });

  const jobOf = (kind: BackupKind): Job<Readonly<{ directory: string }>, BackupDetails> => {
    const input = { directory: 'backup' };
    return {
      ...{ id: '1', kind: kind.name, state: 'running', startedAt: '', endedAt: null, failure: null, resume: null },
      ...{ input, details: kind.initial(input) },
    };
  };

  it('counts as a job that cannot be cancelled once the copy is in place', async () => {
    const source = embedded('original');
    await fill(source);
    const kind = new BackupKind(source, { backups: root, data: root }, async () => {});
    const report = jest.fn<JobControl<BackupDetails>['report']>();
    await kind.run(jobOf(kind), { signal: new AbortController().signal, isCancelled: () => false, report });
    expect(report.mock.calls.map(([{ size }, , state]) => [size === null, state])).toEqual([
      [true, undefined],
      [false, 'switching'],
    ]);
    await source.close();
  });

  it('fails as a job if LMDB cannot write the copy, but waits while the log is away', async () => {
    const source = embedded('original');
    await fill(source);
    const copyTo = source.copyTo.bind(source);
    source.copyTo = (directory) => copyTo(join(directory, 'missing'));
    const kind = new BackupKind(source, { backups: root, data: root }, async () => {});
    const job = jobOf(kind);
    const control = { signal: new AbortController().signal, isCancelled: () => false, report: () => {} };
    const message = 'the log cannot be copied: No such file or directory';
    await expect(kind.run(job, control)).rejects.toMatchObject({ name: 'JobFailed', message });
    expect(existsSync(join(root, 'backup'))).toBe(false);
    await source.close();
    await expect(kind.run(job, control)).rejects.toMatchObject({ name: 'EventStoreUnavailable' });
  });

  it('that was damaged is not restored', async () => {
    const source = embedded('original');
    await fill(source);
    const directory = join(root, 'backup');
    await backUpLog(source, directory);
    await source.close();
    changeLetter(join(directory, 'log', 'data.mdb'), 'Happened');
    const target = join(root, 'restored', 'log');
    await expect(restoreLog({ directory, target })).rejects.toMatchObject({ name: 'DamagedCopy' });
    await expect(restoreLog({ directory: root, target })).rejects.toThrow('is no backup');
    expect(existsSync(join(root, 'restored'))).toBe(false);
  });
});

it('an import into an embedded log continues after it was killed while erasures were applied, and their keys were swept', async () => {
  const source = embedded('original');
  await fill(source);
  const copy = embedded('copy');
  const lines = await exported(source);
  const erase = async (): Promise<void> => (await keysOf(copy)).destroy('user-2');
  const killed = taken(copy, lines, () => erase().then(() => Promise.reject(new Error('killed'))));
  await expect(killed).rejects.toThrow('killed');
  await copy.sweep();
  await taken(copy, lines, erase);
  await refuseUnfinishedImport(copy);
  expect(await (await keysOf(copy)).state('user-2')).toMatchObject({ state: 'destroyed' });
  await Promise.all([source.close(), copy.close()]);
});

it('an imported embedded log passes a check of its whole file', async () => {
  const source = embedded('original');
  await fill(source);
  const copy = embedded('copy');
  await taken(copy, await exported(source));
  await Promise.all([source.close(), copy.close()]);
  expect(inspectDataFile(join(root, 'copy', 'data.mdb'), () => new LogInspector())).toEqual({ kind: 'sound' });
});
