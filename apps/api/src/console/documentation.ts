import { FINDING, FINDING_EXAMPLE } from '#api/operations/health-description.js';
import { answerOf, PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { doc, nullable, oneOf, type Static } from '#domain/shared/shape.js';
import { NODE_ROLES } from '#infra/platform/config/configuration.js';

const AT = '2026-03-01T12:00:00.000Z';
const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';

const SESSION_SHAPE = {
  session: nullable({ key: 'uuid', name: 'text', roles: [oneOf('operator', 'auditor')], endsAt: 'instant' }),
} as const;

const COUNTS = { partitions: 'count', events: 'count' } as const;

const LAST_DAY = { from: 'instant', secondsEach: 'count', counts: ['count'] } as const;

const OVERVIEW_SHAPE = {
  at: 'instant',
  findings: doc([{ ...FINDING, view: { path: 'text', 'query?': { '*': 'text' }, text: 'text' } }], 'all that a person has to look at'),
  stores: { eventLog: nullable('text'), readStore: nullable('text') },
  log: nullable({
    head: 'text',
    events: nullable('count'),
    streams: nullable('count'),
    bytes: nullable('count'),
    rates: nullable({ now: 'number', from: 'instant', secondsEach: 'count', minutes: ['number'] }),
  }),
  projections: nullable([
    {
      name: 'text',
      service: 'text',
      state: oneOf('catching-up', 'live', 'rebuilding', 'degraded'),
      lag: { events: 'count', seconds: 'number' },
      setAside: COUNTS,
      withheld: doc(nullable('text'), 'why the documents are not shown: they do not come from this log, and are built again'),
      differences: doc(
        'count',
        'documents that differ from the log, as far as the newest verification has found and no rebuild has mended',
      ),
    },
  ]),
  nodes: nullable([{ node: 'text', roles: [oneOf(...NODE_ROLES)], version: 'text', seenAt: 'instant' }]),
  chain: {
    status: 'text',
    size: 'count',
    'lagSeconds?': 'number',
    'anchorAgeSeconds?': nullable('number'),
    'unanchoredSeconds?': 'number',
  },
  damage: doc(
    nullable({ index: 'count', kind: 'text', detail: 'text' }),
    'what the newest verification of the log found that found anything, unless a later one has read the event and found nothing',
  ),
  history: nullable({
    status: 'text',
    'position?': 'text',
    'lagSeconds?': 'number',
    'partitionsSetAside?': { '*': 'number' },
  }),
  auditIndex: nullable({ status: 'text', '*': 'any' }),
  results: nullable({ status: 'text', lagSeconds: 'number', daysWaiting: 'count' }),
  erasuresFailed: 'count',
  deadLettersKept: doc(
    'count',
    'subscriptions with messages that stay because their dead letter topic is gone, as far as this node serves them',
  ),
  subscriptionsFull: doc('count', 'subscriptions that deliver nothing before messages are acknowledged, likewise'),
  disk: nullable({ freeBytes: 'count', sizeBytes: 'count' }),
  services: {
    isEmpty: doc('flag', 'whether there is no tenant yet, and no project of any service'),
    messaging: nullable({
      waiting: 'count',
      exact: doc('flag', 'false: `waiting` is an upper bound'),
      oldestPublishedAt: nullable('instant'),
      deadLetters: 'count',
    }),
    status: doc(
      nullable({
        groups: 'count',
        notOk: 'count',
        worst: nullable({
          name: 'text',
          status: 'text',
          tenant: 'text',
          tenantId: 'text',
          report: 'text',
          day: 'day',
          since: nullable('instant'),
        }),
        lateDays: doc('count', 'of the last 7 days, those of which points of a tenant arrived more than an hour after they had ended'),
        lateTenants: doc('count', 'tenants with such days'),
      }),
      'endpoint groups of the reports of all tenants as they are now; reports with more than a call may read, and tenants that a read model has paused, are left out',
    ),
    lastUsageAt: nullable('instant'),
    hours: doc(
      nullable({ messaging: LAST_DAY, status: LAST_DAY, accounting: LAST_DAY, log: LAST_DAY }),
      'messages and events of each hour of the last 24, the oldest first; null where this node keeps no index of the log',
    ),
  },
} as const;

const EXAMPLE: Static<typeof OVERVIEW_SHAPE> = {
  at: AT,
  findings: [{ ...FINDING_EXAMPLE, view: { path: '/status', query: { tenant: ID, report: 'daily' }, text: 'Open daily' } }],
  stores: { eventLog: null, readStore: null },
  log: {
    head: '81234',
    events: 80_112,
    streams: 4_101,
    bytes: 104_857_600,
    rates: { now: 12.4, from: '2026-03-01T11:00:00.000Z', secondsEach: 60, minutes: [10.5, 12.25] },
  },
  projections: [
    {
      name: 'status.reports',
      service: 'status',
      state: 'live',
      lag: { events: 0, seconds: 0 },
      setAside: { partitions: 0, events: 0 },
      withheld: null,
      differences: 0,
    },
  ],
  nodes: [{ node: 'node-2:4711', roles: NODE_ROLES, version: '1.0.0', seenAt: AT }],
  chain: { status: 'live', size: 80_112, lagSeconds: 0, anchorAgeSeconds: 1_200, unanchoredSeconds: 900 },
  damage: null,
  history: { status: 'live', position: '81234', lagSeconds: 0 },
  auditIndex: { status: 'live', size: 80_112, position: '81234', lagSeconds: 0, failure: null },
  results: { status: 'live', lagSeconds: 0, daysWaiting: 0 },
  erasuresFailed: 0,
  deadLettersKept: 0,
  subscriptionsFull: 0,
  disk: { freeBytes: 107_374_182_400, sizeBytes: 214_748_364_800 },
  services: {
    isEmpty: false,
    messaging: { waiting: 12, exact: true, oldestPublishedAt: AT, deadLetters: 0 },
    status: {
      ...{ groups: 40, notOk: 1 },
      worst: { name: 'SITE-02', status: 'CRITICAL', tenant: 'Alpine Grid', tenantId: ID, report: 'daily', day: '2026-03-01', since: AT },
      lateDays: 1,
      lateTenants: 1,
    },
    lastUsageAt: AT,
    hours: {
      messaging: { from: AT, secondsEach: 3_600, counts: [40, 12] },
      status: { from: AT, secondsEach: 3_600, counts: [9, 4] },
      accounting: { from: AT, secondsEach: 3_600, counts: [1, 0] },
      log: { from: AT, secondsEach: 3_600, counts: [50, 16] },
    },
  },
};

export const NO_CONSOLE = PROBLEM('this server has no console');

export const SESSION = answerOf('who is signed in; `session` is null where nobody is', 'ConsoleSession', SESSION_SHAPE, {
  session: { key: ID, name: 'yearly audit', roles: ['auditor'], endsAt: AT },
});

/** Describes each event, as the whole answer has no end. Unavailable parts are null. */
export const OVERVIEW = { ...answerOf('the data of each event', 'Overview', OVERVIEW_SHAPE, EXAMPLE), type: 'text/event-stream' };
