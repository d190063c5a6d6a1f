import { LIMITS } from '#api/messaging/limits.js';
import type { Cursor, CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import { resources, resourcesStream } from '#domain/messaging/resources/resources.js';
import type { RequestedPush, SubscriptionCommand } from '#domain/messaging/resources/subscriptions.js';
import { DomainError } from '#domain/shared/decider.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { DocumentRefused, type ExportedDocument, type TakeDocument } from '../migration.js';
import { type Fields, flagIn, integerIn, nameIn, quietly, textIn } from '../read/fields.js';
import { BoundedRunner } from '../write/bounded-runner.js';
import type { DocumentOrigin } from '../write/event-ids.js';
import { PartlyRefused, partlyRefused, type WriteResult } from '../write/log-writer.js';
import { offsetIn, pathNameIn, resourceId, topicKey } from './directory.js';
import { aclIn, lastIn, usersOf } from './resources.js';
import { byId, createdAt, type MessagingMigration, type MessagingRow } from './row.js';

const decider = resources;
/** Cursors being written at the same time. */
const PARALLEL = 100;
/** Default in the original. */
const ACK_SECONDS = 10;

/** Subscriptions from before 2022 have an endpoint without a type. */
const pushTypeIn = (fields: Fields): string =>
  textIn(fields, 'push_type') || (textIn(fields, 'push_endpoint') === '' ? '' : 'http_endpoint');

/** Push settings in the form of a request, with their secrets; `null` if it is pulled. */
const pushIn = ({ configuration }: MessagingMigration, fields: Fields): RequestedPush | null => {
  const type = pushTypeIn(fields);
  if (type === '') return null;
  const header = textIn(fields, 'authorization_header');
  const request: PushRequest = {
    type,
    pushEndpoint: textIn(fields, 'push_endpoint'),
    maxMessages: Math.max(1, integerIn(fields, 'max_messages', 1)),
    authorizationType: textIn(fields, 'authorization_type') || (header === '' ? 'disabled' : 'autogen'),
    retryPolicyType: textIn(fields, 'retry_policy'),
    retryPeriod: integerIn(fields, 'retry_period', 0),
    mattermostUrl: textIn(fields, 'mattermost_url'),
    mattermostUsername: textIn(fields, 'mattermost_username'),
    mattermostChannel: textIn(fields, 'mattermost_channel'),
    base64Decode: flagIn(fields, 'base_64_decode'),
  };
  const secrets = { verificationHash: textIn(fields, 'verification_hash'), authorizationValue: header };
  return { request, secrets, rules: { plainHttp: configuration.pushAllowPrivate } };
};

/** A subscription of the original. `offset`: of its next message; `nextOffset`: of the one after a delivered batch; `time`: of creation. */
type Exported = Readonly<{
  projectId: string;
  name: string;
  topic: string;
  offset: number;
  nextOffset: number;
  ackDeadlineSeconds: number;
  push: RequestedPush | null;
  isVerified: boolean;
  time: string;
  acl: readonly string[] | undefined;
  traffic: Readonly<{ messages: number; bytes: number; lastPull: string | null }>;
}>;

/** Reads everything needed for a subscription, so that unreadable data are found before its offset counts. @throws Refused, WrongField */
const exportedIn = (migration: MessagingMigration, fields: Fields): Exported => {
  const push = pushIn(migration, fields);
  return {
    projectId: migration.found.projectIn(fields),
    name: pathNameIn(fields),
    topic: nameIn(fields, 'topic'),
    offset: offsetIn(fields, 'offset'),
    nextOffset: offsetIn(fields, 'next_offset'),
    ackDeadlineSeconds: integerIn(fields, 'ack', ACK_SECONDS),
    push,
    isVerified: push?.request.type === 'http_endpoint' && flagIn(fields, 'verified'),
    time: createdAt(fields),
    acl: aclIn(fields),
    traffic: {
      messages: integerIn(fields, 'msg_num', 0),
      bytes: integerIn(fields, 'total_bytes', 0),
      lastPull: lastIn(fields, 'latest_consume'),
    },
  };
};

type Taken = Readonly<{ migration: MessagingMigration; document: ExportedDocument; projectId: string; time: string }>;

/** Commands that create the subscription in its state. */
const commandsOf = (
  create: Extract<SubscriptionCommand, { type: 'CreateSubscription' }>,
  isVerified: boolean,
  users: readonly string[],
): readonly SubscriptionCommand[] => {
  const { name, push } = create;
  return [
    create,
    ...(isVerified && push
      ? [{ type: 'VerifyPushEndpoint', subscription: name, verificationHash: push.secrets.verificationHash } as const]
      : []),
    ...(users.length > 0 ? [{ type: 'ReplaceSubscriptionAcl', subscription: name, users } as const] : []),
  ];
};

/** Decides without its topic, as in the original after that was deleted, and without push settings that the rules refuse. */
const decided = async (taken: Taken, commands: readonly SubscriptionCommand[]): Promise<WriteResult> => {
  const { migration, document, projectId, time } = taken;
  const { origin, place } = document;
  const to = { origin, stream: resourcesStream(projectId), decider };
  try {
    return await migration.writer.decide({ ...to, steps: commands.map((command) => ({ command, time })) });
  } catch (error) {
    const [create, ...others] = commands;
    if (!(error instanceof DomainError) || create?.type !== 'CreateSubscription') throw error;
    if (error.code === 'TOPIC_NOT_FOUND') {
      const { subscriptionId, name, topic, startOffset, topicId, ackDeadlineSeconds } = create;
      const data = { subscriptionId, name, topic, startOffset, topicId, ackDeadlineSeconds, push: null };
      const { subscriptions } = await migration.writer.state(to.stream, decider);
      if (subscriptions.has(name)) throw new DomainError('SUBSCRIPTION_EXISTS');
      if (create.push) migration.report.changed(place, 'it is pulled now: its topic is not there, so there is nothing to push');
      const acl = others.filter(({ type }) => type === 'ReplaceSubscriptionAcl');
      const steps = [{ event: { type: 'SubscriptionCreated', data } as const, time }, ...acl.map((command) => ({ command, time }))];
      return migration.writer.decide({ ...to, steps });
    }
    if (!error.code.startsWith('PUSH_')) throw error;
    migration.report.partRefused(place, `it is pulled now: the rules forbid its push settings: ${error.code}`);
    const acl = others.filter(({ type }) => type === 'ReplaceSubscriptionAcl');
    return decided(taken, [{ ...create, push: null }, ...acl]);
  }
};

/** Initial cursor of a subscription; written after all subscriptions. */
type StartingCursor = Readonly<{ origin: DocumentOrigin; event: CursorEvent; time: string }>;

const takeSubscription =
  (migration: MessagingMigration, cursors: StartingCursor[]): TakeDocument =>
  async (document) => {
    const { found, report, options, writer } = migration;
    const { fields, origin, place } = document;
    const exported = exportedIn(migration, fields);
    const { projectId, name, topic: topicName, ackDeadlineSeconds, push, traffic, time } = exported;
    if (found.subscriptions.get(topicKey(projectId, name)) !== byId(fields))
      throw new DocumentRefused('another subscription of the project has the same name');
    const topic = found.topics.get(topicKey(projectId, topicName));
    const topicId = topic?.id ?? resourceId('topic', projectId, topicName);
    const offset = topic?.next ?? exported.offset;
    const lost = Math.max(0, offset - exported.offset);
    if (lost > 0 && !options.dropWaiting) {
      const kind = 'messages wait for it, which do not come over: let its consumers take them first, or give --drop-waiting';
      throw new DocumentRefused(`${lost} ${kind}`, kind);
    }
    const subscriptionId = resourceId('subscription', projectId, name);
    const create = {
      type: 'CreateSubscription',
      subscriptionId,
      name,
      topic: topicName,
      startOffset: offset,
      topicId,
      ackDeadlineSeconds,
      push,
    } as const;
    const taken = { migration, document, projectId, time };
    const users = usersOf(migration, place, exported.acl);
    // A part that the rules forbid must not change its position.
    const written = await decided(taken, commandsOf(create, exported.isVerified, users)).catch(partlyRefused);
    if (lost > 0) report.changed(place, `${lost} messages that waited for it do not come over`);
    if (textIn(fields, 'push_type') === '' && push) report.changed(place, 'it had an endpoint, but no push type: it is http_endpoint now');
    const cursor: Cursor = { topicId, offset, nextOffset: 0, pendingAck: null, ...traffic, rate: 0 };
    await writer.flush(); // the subscription must be written before its cursor
    const event: CursorEvent = { type: 'OffsetModified', data: { subscriptionId, projectId, cursor } };
    cursors.push({ origin, event, time: cursor.lastPull ?? time });
    if (written instanceof PartlyRefused) throw written;
    return written;
  };

/**
 * Reads the offsets of the subscriptions of each topic: topics continue after them. Subscriptions that are refused in any case do not
 * count, so that a faulty one does not block others.
 */
export const readOffsets = async (migration: MessagingMigration): Promise<void> => {
  const file = migration.files.find(({ collection }) => collection === 'subscriptions');
  if (!file) return;
  const first = new Map<string, Readonly<{ id: string; topic: string; furthest: number }>>();
  for await (const { fields } of migration.read(file, 'offsets')) {
    const exported = quietly(() => exportedIn(migration, fields));
    if (!exported) continue;
    const { projectId, name, topic, offset, nextOffset } = exported;
    const [key, id] = [topicKey(projectId, name), byId(fields)];
    if ((first.get(key)?.id ?? id) < id) continue;
    first.set(key, { id, topic: topicKey(projectId, topic), furthest: Math.max(offset, nextOffset) });
  }
  for (const [key, { id, topic, furthest }] of first) {
    migration.found.subscriptions.set(key, id);
    migration.found.reached.set(topic, Math.max(migration.found.reached.get(topic) ?? 0, furthest));
  }
};

/** Writes the positions of subscriptions that have none yet. */
const writeCursors = async ({ writer }: MessagingMigration, cursors: readonly StartingCursor[]): Promise<void> => {
  const runner = new BoundedRunner(PARALLEL);
  for (const { origin, event, time } of cursors) {
    const stream = cursorStream(event.data.subscriptionId);
    await runner.run(async () => {
      await writer.begin(origin, stream, { event, time }, { maxCount: LIMITS.cursorChanges.value });
    });
  }
  await runner.end();
  runner.check();
};

export const subscriptionRow: MessagingRow = {
  collection: 'subscriptions',
  twice: true,
  take: (migration) => {
    const cursors: StartingCursor[] = [];
    return { each: takeSubscription(migration, cursors), sortedBy: byId, end: () => writeCursors(migration, cursors) };
  },
  compared: {
    expected: ({ fields }) => ({
      topic: nameIn(fields, 'topic'),
      createdOn: wireInstant(createdAt(fields)),
      ackDeadlineSeconds: integerIn(fields, 'ack', ACK_SECONDS),
      messages: integerIn(fields, 'msg_num', 0),
      bytes: integerIn(fields, 'total_bytes', 0),
    }),
    found: async ({ fields }, { queries }) => {
      const [projectId, name] = [nameIn(fields, 'project_uuid'), nameIn(fields, 'name')];
      const subscription = await queries.resources.subscription(projectId, name);
      const cursor = await queries.traffic.ofSubscription({ projectId, subscriptionId: resourceId('subscription', projectId, name) });
      return subscription && cursor && { ...subscription, messages: cursor.messages, bytes: cursor.bytes };
    },
  },
};
