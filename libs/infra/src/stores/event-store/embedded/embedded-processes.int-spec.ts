import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#domain/shared/events.js';
import { PAGE_SIZE } from '#infra/platform/lmdb/environment.js';
import { inspectDataFile } from '#infra/platform/lmdb/inspection.js';
import { LogInspector } from '#infra/stores/event-store/embedded/storage/log-inspector.js';
import { idsOf, newEvent, newEvents, readWhole } from '#test/contracts/event-store/fixture.js';
import { damageAtRandom, randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { newestTransactionIn } from '#test/support/event-stores/power-loss.js';
import { runs, SEED } from '#test/support/test-runs.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from './embedded-event-store.js';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'log');
});
afterEach(() => directory.remove());

const eventsAfter = async (store: EmbeddedEventStore, after: bigint): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let position = after, caughtUp = false; !caughtUp; ) {
    const batch = await store.readAll({ after: position, limit: 1000 });
    events.push(...batch.events);
    ({ position, caughtUp } = batch);
  }
  return events;
};

type Acknowledged = Readonly<{ stream: string; revision: number; ids: readonly string[] }>;
const KILLS = runs(25, 8);
/** The damage is the same in every run; short runs use only the first cases. */
const COPIES = runs(150, 40);

const isAcknowledged = (line: unknown): line is Acknowledged => typeof line === 'object' && line !== null && 'ids' in line;

it(`the embedded log keeps every acknowledged append through ${KILLS} kills (seed ${SEED})`, async () => {
  const revisions = new Map<string, bigint>();
  let checkedTo = 0n;
  const random = randomNumbers(SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writer = startEmbeddedProcess('write', [path]);
    await writer.printed(1 + Math.floor(random() * 60));
    await delay(random() * 5);
    writer.child.kill('SIGKILL');
    expect(await writer.ended).toBe('SIGKILL');

    const store = openEmbeddedEventStore({ path });
    const events = await eventsAfter(store, checkedTo);
    const byId = new Map(events.map((event) => [event.id, event]));
    for (const { stream, revision, ids } of writer.lines.filter(isAcknowledged)) {
      const found = ids.map((id) => byId.get(id));
      const first = revision - ids.length + 1;
      expect(found.map((event) => [event?.stream, event?.revision])).toEqual(ids.map((_, index) => [stream, BigInt(first + index)]));
    }
    const sizes = new Map<unknown, number>();
    for (const { data, stream, revision } of events) {
      expect(revision).toBe((revisions.get(stream) ?? -1n) + 1n);
      revisions.set(stream, revision);
      sizes.set(data.batch, (sizes.get(data.batch) ?? 0) + 1);
    }
    expect(events.filter(({ data }) => sizes.get(data.batch) !== data.size)).toEqual([]);
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => checkedTo + 1n + BigInt(index)));
    checkedTo += BigInt(events.length);
    expect((await store.stats()).categories.reduce((sum, counts) => sum + counts.events, 0)).toBe(Number(checkedTo));
    await store.close();
  }
});

it('the embedded log answers a damaged or foreign file with an error that names the path, not with a signal', async () => {
  const store = openEmbeddedEventStore({ path });
  await store.append('notes-1', newEvents(200), 'no-stream');
  await store.close();
  const copies: string[] = [];
  const damaged = (name: string, damage: (data: string, copy: string) => void): void => {
    const copy = join(directory.path, name);
    cpSync(path, copy, { recursive: true });
    damage(join(copy, 'data.mdb'), copy);
    copies.push(copy);
  };
  const overwrite = (data: string, at: number, bytes: Buffer): void => {
    const content = readFileSync(data);
    bytes.copy(content, at);
    writeFileSync(data, content);
  };
  damaged('sound', () => {});
  damaged('foreign', (data) => writeFileSync(data, 'not a database '.repeat(5000)));
  damaged('first-page', (data) => overwrite(data, 0, Buffer.alloc(PAGE_SIZE)));
  damaged('second-page', (data) => overwrite(data, PAGE_SIZE, Buffer.alloc(PAGE_SIZE)));
  damaged('cut', (data) => truncateSync(data, 3 * PAGE_SIZE));
  damaged('stub', (data) => truncateSync(data, 20));
  damaged('emptied', (data) => truncateSync(data, 0));
  damaged('removed', (data) => rmSync(data));
  damaged('newer', (_, copy) => writeFileSync(join(copy, 'store.json'), '{"lmdb":"99.0.0","durability":"durable","state":"ready"}'));
  damaged('marker', (_, copy) => writeFileSync(join(copy, 'store.json'), 'rubbish'));
  damaged('restored', (_, copy) => {
    rmSync(join(copy, 'store.json'));
    rmSync(join(copy, 'lock.mdb'));
  });
  const file = join(directory.path, 'file');
  writeFileSync(file, '');
  copies.push(file, join(file, 'below'));

  const reader = startEmbeddedProcess('read', copies);
  expect(await reader.ended).toBe(0);
  const answers = new Map(copies.map((copy, index) => [copy.slice(directory.path.length + 1), reader.lines[index]]));
  const error = (copy: string, what: string): unknown => ({
    name: 'EnvironmentError',
    message: expect.stringContaining(`${copy} ${what}`),
  });
  expect(Object.fromEntries(answers)).toEqual({
    sound: { events: 200 },
    restored: { events: 200 },
    foreign: error('foreign', 'is damaged: data.mdb is not an LMDB file'),
    'first-page': error('first-page', 'is damaged'),
    'second-page': error('second-page', 'is damaged: data.mdb has lost its second page'),
    cut: error('cut', 'is damaged: data.mdb ends before page'),
    stub: error('stub', 'is damaged'),
    emptied: error('emptied', 'has lost its data file'),
    removed: error('removed', 'has lost its data file'),
    newer: error('newer', 'was written by lmdb 99.0.0'),
    marker: error('marker', 'has a store.json that is not a marker'),
    file: error('file', ''),
    'file/below': error('below', 'cannot be written'),
  });
});

it('the embedded log refuses a damaged copy, or reads and writes it like the undamaged one', async () => {
  const store = openEmbeddedEventStore({ path });
  for (let round = 0; round < 30; round += 1) {
    const events = newEvents(1 + (round % 7)).map((event) => ({ ...event, data: { text: 'x'.repeat((round * 411) % 3_000) } }));
    for (const stream of ['notes', 'letters']) await store.append(`${stream}-${round % 9}`, events, 'any');
  }
  await store.append('notes-1', [newEvent({ text: 'large'.repeat(20_000) })], 'any');
  await store.setRetention('letters-1', { maxCount: 2 });
  await store.truncate('notes-2', 4n);
  await store.sweep();
  await store.close();
  const random = randomNumbers(4_711);
  const copies = Array.from({ length: COPIES }, (_, index) => join(directory.path, `copy-${index}`));
  const damages = copies.map((copy, index) => {
    cpSync(path, copy, { recursive: true });
    return index === 0 ? 'none' : damageAtRandom(join(copy, 'data.mdb'), random);
  });

  const reader = startEmbeddedProcess('digest', copies);
  expect(await reader.ended).toBe(0);
  const [undamaged] = reader.lines;
  expect(undamaged).toEqual({ digest: expect.any(String) });
  const refusal = {
    name: 'EnvironmentError',
    message: expect.stringMatching(/ (is damaged: data.mdb|has lost its data file).* Put back /),
  };
  const answers = reader.lines.map((answer, index) => ({ damage: damages[index], answer }));
  const isRight = (answer: unknown): boolean => JSON.stringify(answer) === JSON.stringify(undamaged);
  const refused = answers.filter(({ answer }) => !isRight(answer));
  expect(refused).toEqual(refused.map(({ damage }) => ({ damage, answer: refusal })));
  expect(refused.length).toBeGreaterThan(COPIES / 3);
});

it('the embedded log passes both inspections while another process writes to it', async () => {
  const writer = startEmbeddedProcess('write', [path]);
  await writer.printed(50);
  const found = new Set<string>();
  for (let looks = 0, beside = 0; looks < 30 || beside < 10; looks += 1) {
    await writer.printed(writer.lines.length + 1);
    const before = newestTransactionIn(path);
    for (const newInspector of [undefined, () => new LogInspector()])
      found.add(JSON.stringify(inspectDataFile(join(path, 'data.mdb'), newInspector)));
    if (newestTransactionIn(path) !== before) beside += 1;
  }
  writer.child.kill('SIGKILL');
  await writer.ended;
  expect([...found]).toEqual(['{"kind":"sound"}']);
});

it('the embedded log lets a process that opened it before the one that appends follow appends read-only', async () => {
  let store = openEmbeddedEventStore({ path });
  const ids: string[] = [];
  const append = async (): Promise<void> => {
    const events = newEvents(3);
    await store.append('notes-1', events, 'any');
    ids.push(...idsOf(events));
  };
  await append();
  await store.close();
  const reader = startEmbeddedProcess('tail', [path]);
  await reader.printed(3);
  store = openEmbeddedEventStore({ path });
  for (let round = 2; round <= 4; round += 1) {
    await append();
    await reader.printed(3 * round);
  }
  reader.child.kill('SIGTERM');
  await reader.ended;
  expect(reader.lines).toEqual(ids);
  await store.close();
});

it('the embedded log has one process that appends: another one is told which, until that has ended in whatever way', async () => {
  const writer = startEmbeddedProcess('write', [path]);
  await writer.printed(1);
  expect(() => openEmbeddedEventStore({ path })).toThrow(`${path} is in use by process ${writer.child.pid}: stop that first`);
  writer.child.kill('SIGKILL');
  await writer.ended;
  const store = openEmbeddedEventStore({ path });
  expect(() => openEmbeddedEventStore({ path })).toThrow(`${path} is in use by this process already`);
  await store.append('notes-1', newEvents(1), 'any');
  await store.close();
});

it('the embedded log takes no more appends when the disk fails, and keeps what it acknowledged', async () => {
  mkdirSync(path);
  // A limit on file sizes makes the writes of a commit fail, as a broken disk would.
  const writer = startEmbeddedProcess('fill', [path], "trap '' XFSZ; ulimit -f 4000;");
  expect(await writer.ended).toBe(0);
  const [result] = writer.lines;
  expect(result).toMatchObject({
    errors: ['AppendOutcomeUnknown', 'EventStoreUnavailable'],
    trouble: 'its disk has failed: appends are refused until the process is restarted',
  });
  const store = openEmbeddedEventStore({ path });
  const found = (await readWhole(store, 'notes-1')).length;
  expect(result).toMatchObject({ acknowledged: found, readable: found });
  expect(found).toBeGreaterThan(5);
  expect((await store.append('notes-1', newEvents(1), BigInt(found - 1))).revision).toBe(BigInt(found));
  await store.close();
});
