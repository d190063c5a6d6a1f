import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { catalogues } from '#api/runtime/vocabulary.js';
import { ACCOUNTS_STREAM } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import { type CursorEvent, cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { type MessagePublished, messagesStream } from '#domain/messaging/messages/message-events.js';
import { resources, resourcesStream } from '#domain/messaging/resources/resources.js';
import { type TrafficRecorded, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { type Export, writeExport } from '#test/support/migration/exports.js';
import { Migration } from '../migration.js';
import { MigrationProgress } from '../progress.js';
import { exportedFiles } from '../read/exported-files.js';
import { MigrationReport } from '../report.js';
import { takeAll } from '../table.js';
import { derivedId } from '../write/event-ids.js';
import { LogWriter } from '../write/log-writer.js';
import { dryTarget, type MigrationTarget, storesTarget } from '../write/target.js';
import { resourceId } from './directory.js';
import { messagingPlan } from './plan.js';
import type { MessagingMigration, MessagingOptions } from './row.js';

const oid = (number: number) => ({ $oid: number.toString(16).padStart(24, '0') });
const ALPHA = '11111111-aaaa-4aaa-8aaa-000000000001';
const uuid = (number: number): string => `22222222-aaaa-4aaa-8aaa-${String(number).padStart(12, '0')}`;
const at = { $date: '2023-01-03T00:00:00Z' };
const ofAlpha = { project_uuid: ALPHA, created_on: at };

const project = { _id: oid(1), uuid: ALPHA, name: 'ALPHA', created_on: at, modified_on: at, created_by: '' };
const user = (number: number, name: string, changes: object = {}) => ({
  ...{
    _id: oid(1_000 + number),
    uuid: uuid(number),
    name,
    token: `token ${number}`,
    email: '',
    created_on: at,
    modified_on: at,
    created_by: '',
  },
  ...changes,
});
const readings = { _id: oid(2), ...ofAlpha, name: 'readings', msg_num: 1_200, total_bytes: 98_000, latest_publish: at, acl: [] };
const subscription = (number: number, name: string, offset: number) => ({
  ...{ _id: oid(100 + number), ...ofAlpha, name, topic: 'readings', offset, next_offset: 0, ack: 10, msg_num: 1_190, total_bytes: 97_000 },
  ...{ latest_consume: at, acl: [] },
});
const day = { _id: oid(200), date: at, project_uuid: ALPHA, topic_name: 'readings', msg_count: 40 };
const EXPORTED: Export = {
  projects: [project],
  topics: [readings],
  daily_topic_msg_count: [day],
  subscriptions: [subscription(1, 'reader', 1_200), subscription(2, 'late', 1_190)],
};
const TOPIC = resourceId('topic', ALPHA, 'readings');
const READER = resourceId('subscription', ALPHA, 'reader');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logbook-messaging-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Takes an export over. */
const migrated = async (target: MigrationTarget, exported: Export, options: MessagingOptions = {}, dryRun = false) => {
  await writeExport(join(folder, 'dump', 'argo_msg'), exported, ['relaxed']);
  const files = messagingPlan.select(await exportedFiles(join(folder, 'dump')), options);
  const migration: MessagingMigration = new Migration({
    ...{ files, options, target, dryRun, found: messagingPlan.findings() },
    configuration: loadConfiguration({ LOGBOOK_DATA_DIR: folder }),
    writer: new LogWriter(target, 'messaging', dryRun),
    report: new MigrationReport({ service: 'messaging', directory: folder, dryRun }, undefined),
    progress: new MigrationProgress({ isTTY: false, write: () => true }),
  });
  await takeAll(messagingPlan, migration);
  await migration.writer.flush();
  return migration;
};

describe('a second run', () => {
  let store: EmbeddedEventStore;
  let target: MigrationTarget;
  let dry: MigrationTarget;
  beforeEach(async () => {
    store = openEmbeddedEventStore({ path: join(folder, 'log') });
    const keys = await SubjectKeys.open({ store, masterKey: Buffer.alloc(32, 7) });
    const codec = new EventCodec(catalogues, keys);
    const decode = codec.decodeAll.bind(codec);
    const eventStore = new OpeningEventStore(store, async () => {});
    const { credentialHashes } = keys;
    target = await storesTarget({ log: store, eventStore, codec, decode, credentialHashes });
    dry = dryTarget({ eventStore: store, decode, credentialHashes });
  });
  afterEach(() => store.close());

  let events = 0;
  /** Appends an event as the server does. */
  const append = (stream: string, event: DomainEvent): Promise<unknown> => {
    const id = derivedId('messaging', stream, String(events++));
    const metadata = { time: '2026-01-01T00:00:00.000Z', service: 'messaging', requestId: id, correlationId: id, causationId: id } as const;
    return target.append(stream, [{ id, event, metadata: { ...metadata, actor: { kind: 'system', id: 'test' } } }], 'any');
  };
  const publish = (): Promise<unknown> => {
    const data = { projectId: ALPHA, publishTime: '2026-01-01T00:00:00.000Z', data: 'aGVsbG8=' };
    return append(messagesStream(TOPIC), { type: 'MessagePublished', data } satisfies MessagePublished);
  };
  const pull = (offset: number): Promise<unknown> => {
    const cursor = { topicId: TOPIC, offset, nextOffset: 0, pendingAck: null, messages: offset, bytes: 0, lastPull: null, rate: 0 };
    const data = { subscriptionId: READER, projectId: ALPHA, cursor };
    return append(cursorStream(READER), { type: 'BatchAcknowledged', data } satisfies CursorEvent);
  };
  const revisions = async (stream: string): Promise<readonly bigint[]> =>
    (await store.readStream(stream, { limit: 100 })).map(({ revision }) => revision);

  it('leaves a topic where it has begun, with the messages published since, and says so', async () => {
    await migrated({ ...target, skip: async () => {} }, EXPORTED); // as if it had been killed before
    await migrated(target, EXPORTED);
    for (let count = 0; count < 5; count++) await publish();
    const published = [1200n, 1201n, 1202n, 1203n, 1204n];
    expect(await revisions(messagesStream(TOPIC))).toEqual(published);

    const topicOffsets = join(folder, 'offsets');
    await writeFile(topicOffsets, JSON.stringify({ project_uuid: ALPHA, topic: 'readings', min: 0, max: 1_500 }));
    const options = { topicOffsets, dropWaiting: true };
    for (const { report, found } of [await migrated(dry, EXPORTED, options, true), await migrated(target, EXPORTED, options)]) {
      expect(report.text()).toContain('its messages begin at offset 1200 since an earlier run, not at 1500');
      expect([found.topics.get(`${ALPHA}/readings`)?.next, report.of('subscriptions').taken]).toEqual([1_200, 1]);
    }
    expect(await revisions(messagesStream(TOPIC))).toEqual(published);
    const [late] = await target.read(cursorStream(resourceId('subscription', ALPHA, 'late')), 0n, 1);
    expect(late?.data).toMatchObject({ cursor: { offset: 1_200 } });
  });

  it('leaves the positions of subscriptions that have moved since', async () => {
    await migrated(target, EXPORTED);
    for (let offset = 1_201; offset <= 1_220; offset++) await pull(offset);
    await store.sweep();
    const kept = await revisions(cursorStream(READER));
    expect([kept.length, kept.at(-1)]).toEqual([16, 20n]);
    await store.setRetention(cursorStream(READER), { maxCount: 1_000_000 }); // of a subscription that has had idempotency keys
    await migrated(dry, EXPORTED, {}, true);
    await migrated(target, EXPORTED);
    for (let offset = 1_221; offset <= 1_230; offset++) await pull(offset);
    expect((await revisions(cursorStream(READER))).length).toBe(26);
  });

  it('leaves the traffic that the server has recorded', async () => {
    const totals = { messages: 0, bytes: 0, lastPublish: null, rate: 0 };
    const data = { projectId: ALPHA, topicId: TOPIC, record: 1, totals, days: {} };
    await append(trafficStream(TOPIC), { type: 'TrafficRecorded', data } satisfies TrafficRecorded);
    for (const daily_topic_msg_count of [[day], []]) {
      await migrated(dry, { ...EXPORTED, daily_topic_msg_count }, {}, true);
      await migrated(target, { ...EXPORTED, daily_topic_msg_count });
    }
    expect(await revisions(trafficStream(TOPIC))).toEqual([0n]);
  });
});

describe('a topic', () => {
  it('whose ACL is too large is there without it, at its position', async () => {
    const users = Array.from({ length: 5_001 }, (_, number) => user(number, `user${number}`));
    const skipped: (readonly [string, bigint])[] = [];
    const target = { ...dryTarget(), skip: async (stream: string, next: bigint) => void skipped.push([stream, next]) };
    const topics = [{ ...readings, acl: users.map((one) => one.uuid) }];
    const { found, report, writer } = await migrated(target, { ...EXPORTED, users, topics }, {}, true);
    expect(report.text()).toContain('1: the rules forbid a part of it: ACL_TOO_LARGE');
    expect(skipped).toEqual([[messagesStream(TOPIC), 1_200n]]);
    expect(found.topics.get(`${ALPHA}/readings`)).toMatchObject({ id: TOPIC, next: 1_200 });
    expect((await writer.state(resourcesStream(ALPHA), resources)).topics.has('readings')).toBe(true);
  });

  it('that is refused because of its last publish is not there', async () => {
    const topics = [{ ...readings, latest_publish: 'yesterday' }];
    const { report, writer } = await migrated(dryTarget(), { ...EXPORTED, topics, daily_topic_msg_count: [] }, {}, true);
    expect(report.text()).toContain('1: latest_publish must be a date');
    expect((await writer.state(resourcesStream(ALPHA), resources)).topics.has('readings')).toBe(false);
  });
});

it('a refused user leaves its token and component to the next one', async () => {
  const same = { token: 'same token', component: 'monbox', component_project: 'ALPHA' };
  const users = [user(1, 'ada'), user(2, 'ada', same), user(3, 'ben', same)];
  const { report, writer } = await migrated(dryTarget(), { ...EXPORTED, users }, {}, true);
  expect(report.of('users')).toMatchObject({ taken: 2, refused: 1, changed: 0 });
  const { components } = await writer.state(ACCOUNTS_STREAM, accounts);
  expect([...components.values()]).toEqual([uuid(3)]);
});
