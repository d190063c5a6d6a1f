import { messagesStream } from '#domain/messaging/messages/message-events.js';
import { resources, resourcesStream } from '#domain/messaging/resources/resources.js';
import type { SchemaContent } from '#domain/messaging/resources/schemas.js';
import type { TopicEvent } from '#domain/messaging/resources/topics.js';
import { type TrafficRecorded, trafficStream } from '#domain/messaging/traffic/traffic.js';
import type { JsonObject } from '#domain/shared/events.js';
import { compileAvroSchema } from '#infra/edges/schemas/avro/avro-datum.js';
import { compileJsonSchema } from '#infra/edges/schemas/json-schema/json-schema.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { schemaIn } from '#projections/messaging/resources/schema-queries.js';
import { DocumentRefused, type TakeDocument } from '../migration.js';
import { dateIn, type Fields, has, integerIn, nameIn, textIn, textsIn } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import { PartlyRefused, partlyRefused } from '../write/log-writer.js';
import { offsetIn, pathNameIn, resourceId, topicKey, uuidIn } from './directory.js';
import { byIds, createdAt, type MessagingMigration, type MessagingRow } from './row.js';

const decider = resources;

/** @throws Refused */
const schemaContentIn = (fields: Fields): SchemaContent => {
  const type = nameIn(fields, 'type').toLowerCase();
  if (type !== 'json' && type !== 'avro') throw new DocumentRefused('its type is neither json nor avro');
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(nameIn(fields, 'raw_schema'), 'base64').toString('utf8'));
  } catch {
    throw new DocumentRefused('raw_schema is not the base64 of a JSON document');
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new DocumentRefused('raw_schema is not the base64 of a JSON object');
  return { type, document: document as JsonObject };
};

const compiles = ({ type, document }: SchemaContent): boolean => {
  try {
    if (type === 'avro') compileAvroSchema(document);
    else compileJsonSchema(document);
    return true;
  } catch {
    return false;
  }
};

const takeSchema =
  ({ writer, report, found }: MessagingMigration): TakeDocument =>
  async ({ fields, origin, place }) => {
    const projectId = found.projectIn(fields);
    const schemaId = uuidIn(fields);
    const name = pathNameIn(fields);
    const content = schemaContentIn(fields);
    const command = { type: 'CreateSchema', schemaId, name, content } as const;
    const written = await writer.decide({
      origin,
      stream: resourcesStream(projectId),
      decider,
      steps: [{ command, time: createdAt(fields) }],
    });
    if (compiles(content)) found.schemas.set(schemaId, name);
    else report.changed(place, 'it does not compile: topics do not use it');
    return written;
  };

/** Ids of the users in an ACL, including deleted ones; `undefined` if there is no ACL. @throws WrongField */
export const aclIn = (fields: Fields): readonly string[] | undefined =>
  has(fields, 'acl') ? [...new Set(textsIn(fields, 'acl'))] : undefined;

/** Existing users of an ACL. */
export const usersOf = (
  { report, found: { users } }: MessagingMigration,
  place: DocumentPlace,
  acl: readonly string[] | undefined,
): readonly string[] => {
  const given = acl ?? [];
  const there = given.filter((user) => users.has(user));
  const gone = given.length - there.length;
  if (gone > 0) report.changed(place, `${gone} of the users in its ACL are left out: they are not there`);
  if (!acl) report.remark(place, 'it has no ACL: nobody who has only a role of publisher or consumer may use it');
  return there;
};

/** The year 1 means never. */
export const lastIn = (fields: Fields, name: string): string | null => {
  const date = dateIn(fields, name);
  return date === undefined || date.startsWith('0001-') ? null : date;
};

/** The schema of a topic, by name. */
const schemaOf = ({ report, found: { schemas } }: MessagingMigration, fields: Fields, place: DocumentPlace): string | null => {
  const id = textIn(fields, 'schema_uuid');
  const name = schemas.get(id);
  if (id !== '' && name === undefined) report.changed(place, 'it has no schema any more: that is not there, or does not compile');
  return name ?? null;
};

/** Makes `wanted` the offset of a topic's first message, unless the topic has begun at another. Returns the offset at which it begins. */
const begunAt = async ({ target }: MessagingMigration, topicId: string, wanted: number): Promise<number> => {
  const stream = messagesStream(topicId);
  const [[record], [message]] = await Promise.all([target.read(trafficStream(topicId), 0n, 1), target.read(stream, 0n, 1)]);
  const begun = (record?.data as Partial<TrafficRecorded['data']> | undefined)?.totals?.messages ?? message?.revision;
  const next = begun === undefined ? wanted : Number(begun);
  if (!message) await target.skip(stream, BigInt(next));
  return next;
};

const takeTopic =
  (migration: MessagingMigration): TakeDocument =>
  async ({ fields, origin, place }) => {
    const { found, report } = migration;
    const projectId = found.projectIn(fields);
    const name = pathNameIn(fields);
    const [messages, bytes] = [offsetIn(fields, 'msg_num'), integerIn(fields, 'total_bytes', 0)];
    const lastPublish = lastIn(fields, 'latest_publish');
    const topicId = resourceId('topic', projectId, name);
    const command = { type: 'CreateTopic', topicId, name, schema: schemaOf(migration, fields, place) } as const;
    const acl = { type: 'ReplaceTopicAcl', topic: name, users: usersOf(migration, place, aclIn(fields)) } as const;
    const time = createdAt(fields);
    const steps = [
      { command, time },
      { command: acl, time },
    ];
    // An ACL that the rules forbid must not change its position.
    const written = await migration.writer.decide({ origin, stream: resourcesStream(projectId), decider, steps }).catch(partlyRefused);
    const key = topicKey(projectId, name);
    const wanted = found.offsets?.get(key) ?? Math.max(messages, found.reached.get(key) ?? 0);
    const next = await begunAt(migration, topicId, wanted);
    if (next !== wanted) report.changed(place, `its messages begin at offset ${next} since an earlier run, not at ${wanted}`);
    if (next !== messages)
      report.remark(place, `it goes on at offset ${next}, which is what its metrics count from; the original counted ${messages}`);
    migration.notePostdated(place, 'the event of its traffic', lastPublish ?? '');
    found.topics.set(key, { id: topicId, projectId, name, next, messages, bytes, lastPublish });
    if (!(written instanceof PartlyRefused)) return written;
    found.withoutAcl.add(topicId);
    throw written;
  };

/** Records a topic that was deleted in the original but still has counts: it existed once. */
export const takeDeletedTopic = async ({ writer }: MessagingMigration, projectId: string, name: string, time: string): Promise<string> => {
  const topicId = resourceId('topic', projectId, name);
  const created: TopicEvent = { type: 'TopicCreated', data: { topicId, name, schemaId: null } };
  const deleted: TopicEvent = { type: 'TopicDeleted', data: { topicId, name } };
  await writer.decide({
    origin: { collection: 'daily_topic_msg_count', id: topicId },
    stream: resourcesStream(projectId),
    decider,
    steps: [
      { event: created, time },
      { event: deleted, time },
    ],
  });
  return topicId;
};

export const resourceRows: readonly MessagingRow[] = [
  {
    collection: 'schemas',
    take: byIds(takeSchema),
    compared: {
      expected: ({ fields }) => schemaContentIn(fields),
      found: async ({ fields }, { queries }) => {
        const stored = await queries.schemas.stored(nameIn(fields, 'project_uuid'), nameIn(fields, 'name'));
        return (stored && schemaIn(stored)) ?? undefined;
      },
    },
  },
  {
    collection: 'topics',
    take: byIds(takeTopic),
    compared: {
      expected: ({ fields }, { migration: { found } }) => {
        const {
          id = '',
          next,
          bytes,
          lastPublish,
        } = found.topics.get(topicKey(nameIn(fields, 'project_uuid'), nameIn(fields, 'name'))) ?? {};
        const acl = found.withoutAcl.has(id) ? [] : textsIn(fields, 'acl').filter((user) => found.users.has(user));
        return { createdOn: wireInstant(createdAt(fields)), next, bytes, lastPublish, acl: [...new Set(acl)] };
      },
      found: async ({ fields }, { queries }) => {
        const projectId = nameIn(fields, 'project_uuid');
        const topic = await queries.resources.topic(projectId, nameIn(fields, 'name'));
        if (!topic) return undefined;
        const { topicId, createdOn } = topic;
        const { bytes, lastPublish } = (await queries.traffic.ofTopic(topicId)) ?? {};
        const acl = await queries.resources.acl(projectId, topicId);
        return { createdOn, next: await queries.offsets.nextOffset(topicId), bytes, lastPublish, acl };
      },
    },
  },
];
