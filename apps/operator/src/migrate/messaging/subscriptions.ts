import { LIMITS } from '#api/messaging/limits.js';
import type { Cursor, CursorEvent } from '#domain/messaging/cursors/cursor-events.js';
import { cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import type { PushRequest } from '#domain/messaging/push/push-configuration.js';
import { resources, resourcesStream } from '#domain/messaging/resources/resources.js';
import type { RequestedPush, SubscriptionCommand } from '#domain/messaging/resources/subscriptions.js';
import { DomainError } from '#domain/shared/decider.js';
import { type ExportedDocument, type Migration, Refused } from '../migration.js';
import { type Fields, flagIn, integerIn, nameIn, textIn } from '../read/fields.js';
import type { Origin } from '../write/event-ids.js';
import { Lanes } from '../write/lanes.js';
import type { WriteResult } from '../write/log-writer.js';
import { byId, createdAt } from './accounts.js';
import { type Directory, pathNameIn, resourceId, topicKey } from './directory.js';
import { aclIn, lastIn } from './resources.js';

export type MessagingOptions = Readonly<{ database?: string; topicOffsets?: string; dropWaiting?: boolean; pushWorker?: string }>;

const decider = resources;
/** Cursors that are on their way to the disk at once. */
const PARALLEL = 100;
/** What the original has for subscriptions that do not say it. */
const ACK_SECONDS = 10;

/** Subscriptions of before 2022 have an endpoint without a type. */
const pushTypeIn = (fields: Fields): string =>
  textIn(fields, 'push_type') || (textIn(fields, 'push_endpoint') === '' ? '' : 'http_endpoint');

/** The push settings as somebody would ask for them, with the secrets that they have; `null`: it is pulled. */
const pushIn = (migration: Migration, fields: Fields): RequestedPush | null => {
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
  return { request, secrets, rules: { plainHttp: migration.configuration.pushAllowPrivate } };
};

/** Where the subscription goes on, and how many messages of the original it will not get. */
const offsetIn = (fields: Fields, end: number): Readonly<{ offset: number; lost: number }> => ({
  offset: end,
  lost: Math.max(0, end - integerIn(fields, 'offset', 0)),
});

type Taken = Readonly<{ migration: Migration<MessagingOptions>; document: ExportedDocument; projectId: string; name: string }>;

/** The commands that make the subscription what it is. */
const commandsOf = (
  { document: { fields } }: Taken,
  create: Extract<SubscriptionCommand, { type: 'CreateSubscription' }>,
  users: readonly string[],
): readonly SubscriptionCommand[] => {
  const { name, push } = create;
  const verified = push?.request.type === 'http_endpoint' && flagIn(fields, 'verified');
  return [
    create,
    ...(verified ? [{ type: 'VerifyPushEndpoint', subscription: name, verificationHash: push.secrets.verificationHash } as const] : []),
    ...(users.length > 0 ? [{ type: 'ReplaceSubscriptionAcl', subscription: name, users } as const] : []),
  ];
};

/** Without its topic, as in the original after that was deleted; without push settings that the rules refuse. */
const decided = async (taken: Taken, commands: readonly SubscriptionCommand[]): Promise<WriteResult> => {
  const { migration, document, projectId } = taken;
  const { origin, place, fields } = document;
  const time = createdAt(fields);
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
    migration.report.changed(place, `it is pulled now: the rules forbid its push settings: ${error.code}`);
    const acl = others.filter(({ type }) => type === 'ReplaceSubscriptionAcl');
    return decided(taken, [{ ...create, push: null }, ...acl]);
  }
};

/** Where a subscription stands; written after all subscriptions are. */
type StartingCursor = Readonly<{ origin: Origin; event: CursorEvent; time: string }>;

const takeSubscription =
  (migration: Migration<MessagingOptions>, directory: Directory, cursors: StartingCursor[]) =>
  async (document: ExportedDocument): Promise<WriteResult> => {
    const { fields, origin, place } = document;
    const projectId = directory.projectIn(fields);
    const name = pathNameIn(fields);
    const topicName = nameIn(fields, 'topic');
    const topic = directory.topics.get(topicKey(projectId, topicName));
    const topicId = topic?.id ?? resourceId('topic', projectId, topicName);
    const { offset, lost } = offsetIn(fields, topic?.next ?? integerIn(fields, 'offset', 0));
    if (lost > 0 && !migration.options.dropWaiting)
      throw new Refused(`${lost} messages wait for it, which do not come over: let its consumers take them first, or give --drop-waiting`);
    const subscriptionId = resourceId('subscription', projectId, name);
    const create = {
      type: 'CreateSubscription',
      subscriptionId,
      name,
      topic: topicName,
      startOffset: offset,
      topicId,
      ackDeadlineSeconds: integerIn(fields, 'ack', ACK_SECONDS),
      push: pushIn(migration, fields),
    } as const;
    const taken = { migration, document, projectId, name };
    const written = await decided(taken, commandsOf(taken, create, aclIn(migration, directory, document)));
    if (lost > 0) migration.report.changed(place, `${lost} messages that waited for it do not come over`);
    if (textIn(fields, 'push_type') === '' && create.push)
      migration.report.changed(place, 'it had an endpoint, but no push type: it is http_endpoint now');
    const cursor: Cursor = {
      topicId,
      offset,
      nextOffset: 0,
      pendingAck: null,
      messages: integerIn(fields, 'msg_num', 0),
      bytes: integerIn(fields, 'total_bytes', 0),
      lastPull: lastIn(fields, 'latest_consume'),
      rate: 0,
    };
    await migration.writer.flush(); // the subscription comes before its cursor
    const event: CursorEvent = { type: 'OffsetModified', data: { subscriptionId, projectId, cursor } };
    cursors.push({ origin, event, time: cursor.lastPull ?? createdAt(fields) });
    return written;
  };

/** How far the subscriptions of each topic have come: topics go on after that. */
export const readOffsets = async (migration: Migration, { reached }: Directory): Promise<void> => {
  const file = migration.file('subscriptions');
  if (!file) return;
  for await (const { fields } of migration.read(file, 'offsets')) {
    const key = topicKey(String(fields.project_uuid), String(fields.topic));
    const [offset, next] = [Number(fields.offset ?? 0), Number(fields.next_offset ?? 0)];
    const furthest = Math.max(reached.get(key) ?? 0, offset, next);
    if (Number.isSafeInteger(furthest)) reached.set(key, furthest);
  }
};

/** Subscriptions, then where they stand. */
export const takeSubscriptions = async (migration: Migration<MessagingOptions>, directory: Directory): Promise<void> => {
  const cursors: StartingCursor[] = [];
  await migration.each(migration.file('subscriptions'), takeSubscription(migration, directory, cursors), { sortedBy: byId });
  const lanes = new Lanes(PARALLEL);
  for (const { origin, event, time } of cursors) {
    const stream = cursorStream(event.data.subscriptionId);
    await lanes.run(async () => {
      await migration.target.setRetention(stream, { maxCount: LIMITS.cursorChanges.value });
      await migration.writer.record(origin, stream, [{ event, time }]);
    });
  }
  await lanes.end();
  lanes.check();
};
