import type { ApiResponseOptions } from '@nestjs/swagger';
import { type FullSchema, type Shape, schema, schemaOf } from '#api/shared/openapi/shape.js';

type Schema = Record<string, unknown>;

const full = (shape: Shape) => schemaOf({ schema: shape });

/** A JSON answer of this shape. */
export const shaped = (description: string, shape: Shape): ApiResponseOptions => ({
  description,
  content: { 'application/json': { schema: full(shape) } },
});

/** The shape with a description before its members. @param words keywords of JSON Schema after them */
export const about = (description: string | undefined, shape: Shape, words: Schema = {}): FullSchema => {
  const { properties, ...rest } = full(shape);
  return schema({ ...rest, ...(description !== undefined && { description }), ...(properties !== undefined && { properties }), ...words });
};

/** The shape as a schema that is shared by its title. */
export const titled = (title: string, shape: Shape, { description, ...words }: Schema & { description?: string } = {}): FullSchema =>
  schema({ title, ...about(description, shape, words).schema });

/** In OpenAPI 3.0, in which examples omit such members. */
export const orNull = (shape: Shape, description?: string): FullSchema =>
  schema({ ...full(shape), nullable: true, ...(description !== undefined && { description }) });

/** A page of a list. */
export const pageOf = (title: string, item: Shape, next: Shape): FullSchema =>
  titled(title, { items: [item], next: orNull(next, 'for `after`; null at the end') });

export const SHA256 = schema({ type: 'string', pattern: '^[0-9a-f]{64}$' });

/** Members that may be `null`, whatever an example shows. */
const MAY_BE_NULL = new Set([
  'appliedAt',
  'bytes',
  'caughtUpInSeconds',
  'compared',
  'differenceCount',
  'differences',
  'directory',
  'endedAt',
  'equal',
  'eventsPerSecond',
  'failure',
  'history',
  'index',
  'intact',
  'mismatch',
  'next',
  'pace',
  'position',
  'problem',
  'processed',
  'projector',
  'rebuild',
  'refusal',
  'remainingSeconds',
  'root',
  'size',
  'slowestEvent',
  'total',
  'value',
  'verifiedTo',
]);
/** Numbers that may have a fraction. */
const FRACTIONS = new Set(['seconds', 'eventsPerSecond', 'remainingSeconds', 'eventsIn', 'eventsOut', 'caughtUpInSeconds', 'milliseconds']);

const schemaOfMember = (name: string, example: unknown): Schema => {
  const schema = FRACTIONS.has(name) ? { type: 'number' } : schemaLike(example);
  return MAY_BE_NULL.has(name) ? { ...schema, nullable: true } : schema;
};

/** JSON schema of values such as the example; `null` stands for a member that may be null. */
const schemaLike = (example: unknown): Schema => {
  if (example === null) return { nullable: true };
  if (Array.isArray(example)) {
    const items = example.length > 0 ? schemaLike(example.at(-1)) : {};
    return { type: 'array', items: example.includes(null) ? { ...items, nullable: true } : items };
  }
  if (typeof example !== 'object') return { type: Number.isInteger(example) ? 'integer' : typeof example };
  const members = Object.entries(example);
  return {
    type: 'object',
    required: members.map(([name]) => name),
    properties: Object.fromEntries(members.map(([name, value]) => [name, schemaOfMember(name, value)])),
  };
};

const described = (description: string, schema: Schema, example: object): ApiResponseOptions => ({
  description,
  content: { 'application/json': { schema, example } },
});

/** An answer like the example. @param title of its schema @param others examples of members that are null in the example */
export const like = (title: string, description: string, example: object, others: object = {}): ApiResponseOptions =>
  described(description, { title, ...schemaLike({ ...example, ...others }) }, example);

/** A list of items like the example. @param title of the schema of its items @param beside members of the list beside its items */
const listLike = (title: string, description: string, example: object, others: object = {}, beside: object = {}): ApiResponseOptions => {
  const items = { type: 'array', items: { title, ...schemaLike({ ...example, ...others }) } };
  const members = Object.entries(beside).map(([name, value]) => [name, schemaOfMember(name, value)]);
  const properties = { items, ...Object.fromEntries(members) };
  return described(
    description,
    { title: `${title}List`, type: 'object', required: Object.keys(properties), properties },
    { items: [example], ...beside },
  );
};

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const STARTED = '2026-03-01T12:00:00.000Z';
const ENDED = '2026-03-01T12:00:04.250Z';

const HASH = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';

const FAILURE = { position: '81230', index: 80_108, eventId: ID, type: 'ReportCreated', message: 'there is no such metric', at: STARTED };

const PROJECTION_EXAMPLE = {
  name: 'status.reports',
  version: 3,
  service: 'status',
  state: 'live',
  position: '81234',
  head: '81234',
  lag: { events: 0, seconds: 0 },
  documents: 1_207,
  appliedAt: STARTED,
  failure: null,
  rebuild: null,
  setAside: { partitions: 0, events: 0 },
  projector: 'node-2:4711',
  history: null,
};
const PROJECTION_OTHERS = {
  failure: FAILURE,
  rebuild: `/ops/rebuilds/${ID}`,
  history: { state: 'degraded', setAside: { partitions: 1, events: 5 } },
};
const PACE = {
  eventsIn: 12.5,
  eventsOut: 12.5,
  caughtUpInSeconds: 0,
  slowestEvent: { type: 'TopologyEndpointsListed', index: 79_402, milliseconds: 41.3 },
  lastHour: { from: STARTED, secondsEach: 60, lagSeconds: [null, 0.1] },
};
export const PROJECTION = like(
  'ProjectionWithPace',
  "the projection; `history`: in this node's history, null unless that has documents of its own; `pace`: of the last minute and hour, null unless this node keeps it up to date",
  { ...PROJECTION_EXAMPLE, pace: PACE },
  PROJECTION_OTHERS,
);
export const PROJECTIONS = listLike('Projection', 'all projections', PROJECTION_EXAMPLE, PROJECTION_OTHERS);

const PARTITION_EXAMPLE = {
  partition: `tenant:${ID}`,
  with: ['tenant:other'],
  state: 'set-aside',
  held: 4,
  failure: FAILURE,
  history: null,
};
const PARTITION_OTHERS = { history: 'set-aside' };
export const PARTITION = like('Partition', 'the partition', PARTITION_EXAMPLE, PARTITION_OTHERS);
export const PARTITIONS = listLike('Partition', 'paused partitions', PARTITION_EXAMPLE, PARTITION_OTHERS);

export const SKIPS = listLike('SkippedEvent', 'the events that were skipped', {
  partition: `tenant:${ID}`,
  eventId: ID,
  position: '81230',
  type: 'ReportCreated',
  reason: 'written by a faulty release',
  at: STARTED,
  actor: { kind: 'key', id: ID },
});

/** @param href of the job */
export const jobLink = (path: string): ApiResponseOptions => ({
  ...like('JobLink', 'accepted; the job is found at `Location`', { id: ID, href: `${path}/${ID}` }),
  headers: { location: { description: 'where the job is found', schema: { type: 'string' } } },
});

const JOB = { id: ID, state: 'done', startedAt: STARTED, endedAt: ENDED, failure: null };
const FAILED = { failure: { message: 'the log cannot be read' } };
const PROGRESS = { projection: 'status.reports', processed: 81_234, total: 81_234, eventsPerSecond: 19_113, remainingSeconds: null };
export const REBUILD_JOB = like('Rebuild', 'the rebuild', { ...JOB, ...PROGRESS }, FAILED);
export const REBUILD_JOBS = listLike('Rebuild', 'rebuilds', { ...JOB, ...PROGRESS }, FAILED);

const VERDICT = {
  position: '81234',
  compared: 1_207,
  equal: false,
  differenceCount: 1,
  differences: [{ collection: 'reports', key: `${ID}/daily`, kind: 'different', members: ['/info/name'] }],
};
export const VERIFICATION_JOB = like('ProjectionVerification', 'the verification', { ...JOB, ...PROGRESS, ...VERDICT }, FAILED);
export const VERIFICATION_JOBS = listLike('ProjectionVerification', 'verifications', { ...JOB, ...PROGRESS, ...VERDICT }, FAILED);

const KEY = { id: ID, service: 'ops', role: 'auditor', name: 'yearly audit' };
export const KEYS = listLike('Key', 'the keys in force', { ...KEY, issuedAt: STARTED });
export const NEW_KEY = like('NewKey', 'the key; `key` is shown this once', { ...KEY, key: 'b1946ac92492d2347c6235b4d2611184' });

const BOUND = { id: ID, subject: '/C=UK/O=eScience/CN=ce.example.org', project: 'accounting', user: 'site-publisher', boundAt: STARTED };
export const CERTIFICATE_BINDING = like('CertificateBinding', 'the binding', BOUND);
export const CERTIFICATE_BINDINGS = listLike(
  'ListedCertificateBinding',
  'the bindings; `subject`, `project` and `user` are null once they are erased or deleted',
  BOUND,
  { subject: null, project: null, user: null },
);

const ERASURE_EXAMPLE = {
  id: ID,
  state: 'done',
  service: 'messaging',
  kind: 'user',
  subject: ID,
  reason: 'request 4711 of the data protection officer',
  requestedBy: ID,
  endedAt: ENDED,
};
export const ERASURE = like('Erasure', 'the erasure', { ...ERASURE_EXAMPLE, startedAt: STARTED, failure: null }, FAILED);
export const ERASURES = listLike('ErasureInShort', 'erasures', ERASURE_EXAMPLE);

const BACKUP_EXAMPLE = { ...JOB, directory: 'monday', position: '81234', size: 80_112, root: HASH, bytes: 104_857_600 };
export const BACKUP_JOB = like('Backup', 'the backup', BACKUP_EXAMPLE, FAILED);
export const BACKUPS = listLike(
  'Backup',
  'backups; `refusal`: why none can be made, whatever its directory, or null',
  BACKUP_EXAMPLE,
  FAILED,
  {
    refusal: 'no directory for backups is configured (LOGBOOK_BACKUP_DIR)',
  },
);
