import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { integrityCatalogues } from '#domain/integrity/integrity-events.js';
import { LOG_CATEGORY, logEvents } from '#domain/operations/log-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { startLogServer } from '#test/support/eventstoredb/log-server.js';
import { forAny } from '#test/support/for-any.js';
import { chain, eventAt, signingKey } from '#test/support/integrity/chained-log.js';
import { exportedLines } from '#test/support/integrity/exported-lines.js';
import { runs } from '#test/support/test-runs.js';
import { backUpLog } from './backups/backup.js';
import { restoreLog } from './backups/restore.js';
import { chainAtHead } from './chain-at-head.js';
import { checkedLines } from './export-check.js';
import { exportLog } from './log-export.js';
import { importLog } from './log-import.js';

const CATALOGUES = {
  ...integrityCatalogues,
  [LOG_CATEGORY]: logEvents,
  'messaging.messages': { Happened: {} },
  'messaging.cursor': { Happened: {} },
  'test.things': { Happened: {} },
};
const MESSAGES = ['messaging.messages-1', 'messaging.messages-2'];
const CURSORS = ['messaging.cursor-1', 'messaging.cursor-2'];
const STREAMS = [...MESSAGES, ...CURSORS, 'test.things-1', 'test.things-2'];
/** Number of kept cursors. Here no stream of messages loses any by itself. */
const KEPT = 3;
const retentionOf = (stream: string) => (CURSORS.includes(stream) ? { maxCount: KEPT } : {});

type Step =
  | Readonly<{ does: 'append'; stream: string; events: number; characters: number }>
  | Readonly<{ does: 'chain'; leaves: number }>
  | Readonly<{ does: 'truncate'; stream: string; kept: number }>
  | Readonly<{ does: 'retain'; stream: string }>
  | Readonly<{ does: 'seal' | 'erase'; subject: string }>
  | Readonly<{ does: 'sweep' }>;

const subject = fc.constantFrom('user-1', 'user-2', 'user-3');
const append = fc.record({
  does: fc.constant('append' as const),
  stream: fc.constantFrom(...STREAMS),
  events: fc.integer({ min: 1, max: 6 }),
  characters: fc.constantFrom(1, 30, 40_000),
});
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: append },
    { weight: 4, arbitrary: fc.record({ does: fc.constant('chain' as const), leaves: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('truncate' as const),
        stream: fc.constantFrom(...MESSAGES, ...CURSORS),
        kept: fc.integer({ min: 0, max: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('retain' as const), stream: fc.constantFrom(...CURSORS) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('seal' as const, 'erase' as const), subject }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('sweep' as const) }) },
  ),
  { minLength: 3, maxLength: 25 },
);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'logbook-histories-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newDirectory = (): string => {
  const path = join(root, randomBytes(6).toString('hex'));
  mkdirSync(path);
  return path;
};

const take = async (log: EmbeddedEventStore, keys: SubjectKeys, step: Step): Promise<void> => {
  const installation = String(await new LogIdentity(log).installation());
  switch (step.does) {
    case 'append':
      await log.append(
        step.stream,
        Array.from({ length: step.events }, () => eventAt(1, { text: 'x'.repeat(step.characters), lone: '\ud800' })),
        'any',
      );
      return;
    case 'chain':
      await chain(log, step.leaves, installation);
      return;
    case 'truncate': {
      await chain(log, 3, installation); // only chained events expire
      const [last] = await log.readStream(step.stream, { direction: 'backwards', limit: 1 });
      if (last) await log.truncate(step.stream, last.revision + 1n - BigInt(Math.min(step.kept, Number(last.revision) + 1)));
      return;
    }
    case 'retain':
      return log.setRetention(step.stream, { maxCount: KEPT });
    case 'seal':
      await keys.obtain(step.subject).catch(() => undefined); // erased before
      return;
    case 'erase':
      return keys.destroy(step.subject);
    case 'sweep':
      await log.sweep();
  }
};

/** A log with this history, and an anchor over it. */
const lived = async (history: readonly Step[]): Promise<EmbeddedEventStore> => {
  const log = openEmbeddedEventStore({ path: newDirectory(), chained: true });
  const installation = await new LogIdentity(log).open();
  const keys = await SubjectKeys.open({ store: log, masterKey: Buffer.alloc(32, 7) });
  await chain(log, 1, installation);
  for (const step of history) await take(log, keys, step);
  for (const stream of CURSORS) await log.setRetention(stream, retentionOf(stream));
  return log;
};

const linesOf = (events: ImportTarget): Promise<string[]> => exportedLines(events, CATALOGUES);

const taken = async (target: ImportTarget, lines: readonly string[]): Promise<void> => {
  const input = Readable.from(lines.map((line) => Buffer.from(`${line}\n`)));
  // Histories continue after their last anchor.
  await importLog({ target, input, catalogues: CATALOGUES, keys: [signingKey], unsignedTail: true, retentionOf });
};

/** Content that a copy must share: events and results of reads. The place of an expired event among the others may differ. */
const contentOf = async (log: ImportTarget): Promise<object> => {
  const lines = (await linesOf(log)).map((line) => line.replace(/"position":"\d+",/, ''));
  const isChained = (line: string): boolean => !line.startsWith('{"index":null');
  const streams: unknown[] = [];
  for (const stream of [...STREAMS, 'keys.subject-user-1', 'keys.subject-user-2', 'keys.subject-user-3']) {
    const read = await (log as EventStore).readStream(stream, { limit: 1_000 });
    streams.push([stream, read.map(({ revision, id }) => `${revision} ${id}`)]);
  }
  const { tree } = await chainAtHead(log);
  return { chained: lines.filter(isChained), others: lines.filter((line) => !isChained(line)), streams, root: tree.root().toString('hex') };
};

describe('a log with any history', () => {
  it('comes back from an export and from a backup', async () => {
    await forAny(runs(15), steps, async (history) => {
      const source = await lived(history);
      const content = await contentOf(source);
      const copy = openEmbeddedEventStore({ path: newDirectory(), chained: true });
      await taken(copy, await linesOf(source));
      expect(await contentOf(copy)).toEqual(content);

      const directory = newDirectory();
      const backup = await backUpLog(source, directory);
      const target = join(newDirectory(), 'log');
      expect(await restoreLog({ directory, target })).toEqual(backup);
      const restored = openEmbeddedEventStore({ path: target });
      expect(await contentOf(restored)).toEqual(content);
      await Promise.all([source, copy, restored].map((log) => log.close()));
    });
  });

  it('comes back from EventStoreDB', async () => {
    await forAny(runs(3), steps, async (history) => {
      const source = await lived(history);
      const content = await contentOf(source);
      const there = await startLogServer();
      const copy = openEventStoreDb({ connectionString: there.connectionString });
      await taken(copy, await linesOf(source));
      const back = openEmbeddedEventStore({ path: newDirectory(), chained: true });
      await taken(back, await linesOf(copy));
      expect(await contentOf(back)).toEqual(content);
      await Promise.all([source, copy, back].map((log) => log.close()));
      await there.stop();
    });
  });
});

const lastLeavesExpired: readonly Step[] = [
  { does: 'append', stream: 'test.things-1', events: 1, characters: 1 },
  { does: 'append', stream: 'messaging.cursor-1', events: 6, characters: 1 },
  { does: 'chain', leaves: 100 },
  { does: 'truncate', stream: 'messaging.cursor-1', kept: 0 },
  { does: 'append', stream: 'test.things-1', events: 1, characters: 1 },
  { does: 'chain', leaves: 100 },
  { does: 'sweep' },
];

describe('an export', () => {
  it('has expired events before their leaves, and those of releases that had them behind are imported, too', async () => {
    const source = await lived(lastLeavesExpired);
    const lines = await linesOf(source);
    const expired = lines.findIndex((line) => line.includes('"expired":true'));
    const leaves = lines.findIndex((line, at) => at > expired && line.includes('LeavesChained'));
    expect(lines.slice(expired, leaves).every((line) => line.includes('"expired":true'))).toBe(true);
    const next = lines.findIndex((line, at) => at > leaves && line.includes('"index":') && !line.includes('"index":null'));
    const former = [...lines.slice(0, expired), ...lines.slice(leaves, next), ...lines.slice(expired, leaves), ...lines.slice(next)];
    const copy = openEmbeddedEventStore({ path: newDirectory(), chained: true });
    await taken(copy, former);
    expect(await contentOf(copy)).toEqual(await contentOf(source));
    await Promise.all([source.close(), copy.close()]);
  });

  it('has what others chain and the log loses while it is made', async () => {
    const source = await lived([
      { does: 'append', stream: 'test.things-1', events: 1, characters: 1 },
      { does: 'chain', leaves: 100 },
      { does: 'append', stream: 'messaging.cursor-1', events: 9, characters: 1 },
      { does: 'append', stream: 'test.things-1', events: 1, characters: 1 },
    ]);
    const installation = String(await new LogIdentity(source).installation());
    const exporting = await exportLog({ events: source, from: 0, catalogues: CATALOGUES });
    await chain(source, 4, installation);
    await source.append('test.things-1', [eventAt(2, {})], 'any');
    await chain(source, 4, installation);
    await source.truncate('messaging.cursor-1', 9n);
    expect(await source.sweep()).toBeGreaterThan(0);
    const lines: string[] = [];
    for await (const line of checkedLines(exporting)) lines.push(line);
    expect(lines.filter((line) => line.includes('messaging.cursor-1') && line.includes('"hash"'))).toHaveLength(9);
    await source.close();
  });
});
