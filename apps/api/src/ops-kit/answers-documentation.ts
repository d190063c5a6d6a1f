import { type AnswerOf, answer, type DescribedAnswer } from '#api/shared/openapi/described.js';
import {
  Annotated,
  bounded,
  type Component,
  component,
  doc,
  nullable,
  type Schema,
  type Shape,
  type Static,
  schema,
} from '#domain/shared/shape.js';

/** A component that shows its example in its schema, too. */
export const shownInside = <const S extends Shape>(name: string, shape: S, example: Static<S>) =>
  component(name, bounded(shape, { example }));

/** An object whose description stands before its members. */
class Headed<out S> extends Annotated<S> {
  override onto({ properties, ...rest }: Schema): Schema {
    return { ...rest, ...this.words, properties };
  }
}
export const headed = <const S extends Shape>(description: string, shape: S): Headed<S> => new Headed(shape, { description });

/** An answer of this shape, with its example. */
export const shaped = <const S extends Shape>(description: string, shape: S): AnswerOf<S> => answer(shape, undefined, description);

/** An answer with a shape that is shared by its name. */
export const answerOf = <const S extends Shape>(description: string, name: string, shape: S, example: Static<S>): AnswerOf<Component<S>> =>
  answer(component(name, shape), example, description);

/** A page of a list. */
export const pageOf = <const S extends Shape, const N extends Shape>(name: string, item: S, next: N) =>
  component(name, { items: [item], next: doc(nullable(next), 'for `after`; null at the end') });

const listOf = <const S extends Shape>(description: string, item: Component<S>) =>
  shaped(description, component(`${item.name}List`, { items: [item] }));

/** An error that an operation describes itself. */
export const PROBLEM = (description: string): DescribedAnswer => ({
  description,
  type: 'application/problem+json',
  shape: schema({ $ref: '#/components/schemas/Problem' }),
});

export const SHA256 = schema<string>({ type: 'string', pattern: '^[0-9a-f]{64}$' });

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const STARTED = '2026-03-01T12:00:00.000Z';
const ENDED = '2026-03-01T12:00:04.250Z';

const HASH = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';

const FAILURE = nullable({
  position: nullable('text'),
  index: nullable('integer'),
  eventId: 'text',
  type: 'text',
  message: 'text',
  at: 'text',
});
const SET_ASIDE = { partitions: 'integer', events: 'integer' } as const;
const PROJECTION_MEMBERS = {
  name: 'text',
  version: 'integer',
  service: 'text',
  state: 'text',
  position: nullable('text'),
  head: 'text',
  lag: { events: 'integer', seconds: 'number' },
  documents: 'integer',
  appliedAt: nullable('text'),
  failure: FAILURE,
  rebuild: nullable('text'),
  setAside: SET_ASIDE,
  projector: nullable('text'),
  history: nullable({ state: 'text', setAside: SET_ASIDE }),
} as const;
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
export const PROJECTION = answerOf(
  "the projection; `history`: in this node's history, null unless that has documents of its own; `pace`: of the last minute and hour, null unless this node keeps it up to date",
  'ProjectionWithPace',
  {
    ...PROJECTION_MEMBERS,
    pace: nullable({
      eventsIn: 'number',
      eventsOut: 'number',
      caughtUpInSeconds: nullable('number'),
      slowestEvent: nullable({ type: 'text', index: nullable('integer'), milliseconds: 'number' }),
      lastHour: { from: 'text', secondsEach: 'integer', lagSeconds: [nullable('number')] },
    }),
  },
  {
    ...PROJECTION_EXAMPLE,
    pace: {
      eventsIn: 12.5,
      eventsOut: 12.5,
      caughtUpInSeconds: 0,
      slowestEvent: { type: 'TopologyEndpointsListed', index: 79_402, milliseconds: 41.3 },
      lastHour: { from: STARTED, secondsEach: 60, lagSeconds: [null, 0.1] },
    },
  },
);
export const PROJECTIONS = listOf('all projections', component('Projection', PROJECTION_MEMBERS).shownAs(PROJECTION_EXAMPLE));

const PAUSED = component('Partition', {
  partition: 'text',
  with: ['text'],
  state: 'text',
  held: 'integer',
  failure: FAILURE,
  history: nullable('text'),
}).shownAs({
  partition: `tenant:${ID}`,
  with: ['tenant:other'],
  state: 'set-aside',
  held: 4,
  failure: { position: '81230', index: 80_108, eventId: ID, type: 'ReportCreated', message: 'there is no such metric', at: STARTED },
  history: null,
});
export const PARTITION = shaped('the partition', PAUSED);
export const PARTITIONS = listOf('paused partitions', PAUSED);

export const SKIPS = listOf(
  'the events that were skipped',
  component('SkippedEvent', {
    partition: 'text',
    eventId: 'text',
    position: nullable('text'),
    type: 'text',
    reason: 'text',
    at: 'text',
    actor: { kind: 'text', id: 'text' },
  }).shownAs({
    partition: `tenant:${ID}`,
    eventId: ID,
    position: '81230',
    type: 'ReportCreated',
    reason: 'written by a faulty release',
    at: STARTED,
    actor: { kind: 'key', id: ID },
  }),
);

const JOB_LINK = component('JobLink', { id: 'text', href: 'text' });

/** @param path of the job */
export const jobLink = (path: string) => answer(JOB_LINK, { id: ID, href: `${path}/${ID}` }, 'accepted; the job is found at `Location`');

const JOB = {
  id: 'text',
  state: 'text',
  startedAt: 'text',
  endedAt: nullable('text'),
  failure: nullable({ message: 'text' }),
} as const;
const PROGRESS = {
  projection: 'text',
  processed: nullable('integer'),
  total: nullable('integer'),
  eventsPerSecond: nullable('number'),
  remainingSeconds: nullable('number'),
} as const;
const DONE = { id: ID, state: 'done', startedAt: STARTED, endedAt: ENDED, failure: null };
const READ = { projection: 'status.reports', processed: 81_234, total: 81_234, eventsPerSecond: 19_113, remainingSeconds: null };

const REBUILD = component('Rebuild', { ...JOB, ...PROGRESS }).shownAs({ ...DONE, ...READ });
export const REBUILD_JOB = shaped('the rebuild', REBUILD);
export const REBUILD_JOBS = listOf('rebuilds', REBUILD);

const VERIFICATION = component('ProjectionVerification', {
  ...JOB,
  ...PROGRESS,
  position: nullable('text'),
  compared: nullable('integer'),
  equal: nullable('flag'),
  differenceCount: nullable('integer'),
  differences: nullable([{ collection: 'text', key: 'text', kind: 'text', members: ['text'] }]),
}).shownAs({
  ...DONE,
  ...READ,
  position: '81234',
  compared: 1_207,
  equal: false,
  differenceCount: 1,
  differences: [{ collection: 'reports', key: `${ID}/daily`, kind: 'different', members: ['/info/name'] }],
});
export const VERIFICATION_JOB = shaped('the verification', VERIFICATION);
export const VERIFICATION_JOBS = listOf('verifications', VERIFICATION);

const KEY = { id: 'text', service: 'text', role: 'text', name: 'text' } as const;
const AUDITORS = { id: ID, service: 'ops', role: 'auditor', name: 'yearly audit' };
export const KEYS = listOf('the keys in force', component('Key', { ...KEY, issuedAt: 'text' }).shownAs({ ...AUDITORS, issuedAt: STARTED }));
export const NEW_KEY = answerOf(
  'the key; `key` is shown this once, not to a repeated call',
  'NewKey',
  { ...KEY, 'key?': 'text' },
  { ...AUDITORS, key: 'b1946ac92492d2347c6235b4d2611184' },
);

const BOUND = { id: ID, subject: '/C=UK/O=eScience/CN=ce.example.org', project: 'accounting', user: 'site-publisher', boundAt: STARTED };
export const CERTIFICATE_BINDING = answerOf(
  'the binding',
  'CertificateBinding',
  { id: 'text', subject: 'text', project: 'text', user: 'text', boundAt: 'text' },
  BOUND,
);
const TEXT_OR_NULL = schema<string | null>({});
export const CERTIFICATE_BINDINGS = listOf(
  'the bindings; `subject`, `project` and `user` are null once they are erased or deleted',
  component('ListedCertificateBinding', {
    id: 'text',
    subject: TEXT_OR_NULL,
    project: TEXT_OR_NULL,
    user: TEXT_OR_NULL,
    boundAt: 'text',
  }).shownAs(BOUND),
);

const ERASURE_MEMBERS = {
  id: 'text',
  state: 'text',
  service: 'text',
  kind: 'text',
  subject: 'text',
  reason: 'text',
  requestedBy: 'text',
  endedAt: nullable('text'),
} as const;
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
export const ERASURE = answerOf(
  'the erasure',
  'Erasure',
  { ...ERASURE_MEMBERS, startedAt: JOB.startedAt, failure: JOB.failure },
  { ...ERASURE_EXAMPLE, startedAt: STARTED, failure: null },
);
export const ERASURES = listOf('erasures', component('ErasureInShort', ERASURE_MEMBERS).shownAs(ERASURE_EXAMPLE));

const BACKUP_EXAMPLE = { ...DONE, directory: 'monday', position: '81234', size: 80_112, root: HASH, bytes: 104_857_600 };
const BACKUP = component('Backup', {
  ...JOB,
  directory: nullable('text'),
  position: nullable('text'),
  size: nullable('integer'),
  root: nullable('text'),
  bytes: nullable('integer'),
}).shownAs(BACKUP_EXAMPLE);
export const BACKUP_JOB = shaped('the backup', BACKUP);
export const BACKUPS = answerOf(
  'backups; `refusal`: why none can be made, whatever its directory, or null',
  'BackupList',
  { items: [BACKUP], refusal: nullable('text') },
  { items: [BACKUP_EXAMPLE], refusal: 'no directory for backups is configured (LOGBOOK_BACKUP_DIR)' },
);
