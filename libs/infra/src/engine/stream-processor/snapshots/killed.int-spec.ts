import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { COUNTER, counter, counterEvents, counterKey as masterKey } from '#test/support/event-stores/counter.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { contextAt, readAllOf } from '#test/support/projections/guest-list.js';
import { SEED } from '#test/support/test-runs.js';
import { SNAPSHOTS } from './snapshot-documents.js';
import { Snapshots } from './snapshots.js';

type Answered = Readonly<{ key: string; revision: number; total: number }>;

const KILLS = 5;
const NOON = '2024-02-29T12:00:00.000Z';

const random = randomNumbers(SEED);

it(`commands count on, and keys are remembered, through kills at any point between appends and snapshots (seed ${SEED})`, async () => {
  const directory = temporaryDirectory();
  const paths = [join(directory.path, 'log'), join(directory.path, 'documents')] as const;
  const answered: Answered[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writer = startEmbeddedProcess('count', paths);
    await writer.printed(100);
    await delay(random() * 60);
    writer.child.kill('SIGKILL');
    expect(await writer.ended).toBe('SIGKILL');
    answered.push(...(writer.lines as Answered[]));
  }
  const store = openEmbeddedEventStore({ path: paths[0] });
  const documents = await openDocumentStore({ path: paths[1], report: () => undefined });
  const totals = (await readAllOf(store, COUNTER)).map(({ data }) => data.total);
  expect(totals).toEqual(Array.from(totals, (_, index) => index + 1));
  for (const { revision, total } of answered) expect(totals[revision]).toBe(total);
  expect((await documents.view(SNAPSHOTS).range('states', {})).length).toBeGreaterThan(0);
  const keys = await SubjectKeys.open({ store, masterKey });
  const snapshots = new Snapshots({ store: documents, masterKey, keys, log: { warn: () => undefined }, now: () => Date.parse(NOON) });
  const processor = new StreamProcessor(store, new EventCodec({ 'test.counter': counterEvents }, keys), { snapshots });
  const send = (key: string) =>
    processor.execute({ stream: COUNTER, decider: counter, command: {}, context: contextAt(NOON, { key, body: 'b' }) });
  expect((await send('new')).events).toMatchObject([{ data: { total: totals.length + 1 } }]);
  for (const { key, total } of answered.filter((_, index) => index % 23 === 0))
    expect(await send(key)).toMatchObject({ repeated: true, events: [{ data: { total } }] });
  await processor.close();
  await documents.close();
  await store.close();
  directory.remove();
});
