import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { answer } from '#api/shared/openapi/described.js';
import type { ServiceDescription } from '#api/shared/routes/describe.js';
import { component, doc, nullable, oneOf } from '#domain/shared/shape.js';

const UP_OR_DOWN = oneOf('up', 'down');
const PART = component('HealthOfPart', { status: UP_OR_DOWN, 'detail?': 'text' });
export const FINDING = {
  kind: 'text',
  severity: oneOf('critical', 'warning'),
  check: doc('text', 'line of `logbook doctor`'),
  text: 'text',
  figures: doc(nullable('text'), 'a sentence that changes all the time'),
  todo: 'text',
} as const;
const FINDINGS = doc([component('Finding', FINDING)], 'all that a person has to look at, the worst first');
const HEALTH = component('Health', {
  status: UP_OR_DOWN,
  eventLog: PART,
  readStore: PART,
  findings: FINDINGS,
  projections: { '*': 'text' },
  '*': 'any',
});
const SHORT = component('HealthInShort', { status: UP_OR_DOWN, 'reason?': 'text' });

export const FINDING_EXAMPLE = {
  kind: 'groups-not-ok',
  severity: 'warning' as const,
  check: 'status',
  text: '1 group is not OK.',
  figures: null,
  todo: 'Status says since when; the day of a group shows why.',
};
const UP = { status: 'up' };
const EXAMPLE = {
  ...UP,
  eventLog: UP,
  readStore: UP,
  findings: [FINDING_EXAMPLE],
  projections: { 'status.tenants': 'live' },
  roles: ['api', 'projector'],
};
const DOWN = { status: 'down', reason: 'the event log does not answer' };

export const HEALTH_ANSWERS = { 200: answer(HEALTH, EXAMPLE), 503: answer(HEALTH, { ...EXAMPLE, status: 'down' }) };
export const LIVE_ANSWERS = { 200: answer(SHORT, UP) };
export const READY_ANSWERS = { ...LIVE_ANSWERS, 503: answer(SHORT, DOWN) };

const UP_OR_DOWN_OF_QUARKUS = oneOf('UP', 'DOWN');
const QUARKUS = component('QuarkusHealth', {
  status: UP_OR_DOWN_OF_QUARKUS,
  checks: [{ name: 'text', status: UP_OR_DOWN_OF_QUARKUS, 'data?': { '*': 'text' } }],
});
export const QUARKUS_LIVE_ANSWERS = { 200: answer(QUARKUS, { status: 'UP', checks: [] }) };
export const QUARKUS_ANSWERS = {
  200: answer(QUARKUS, { status: 'UP', checks: [{ name: 'readiness', status: 'UP' }] }),
  503: answer(QUARKUS, { status: 'DOWN', checks: [{ name: 'readiness', status: 'DOWN', data: { reason: DOWN.reason } }] }),
};

/** Error for an unrequested body. */
const TOO_LARGE = PROBLEM('the request has a body, and a large one');

/** `/health`, `/q/health` and the paths below them, `/version` and the root. */
export const HEALTH_OF_SERVER: ServiceDescription = {
  name: 'Health',
  owns: (path) => path.startsWith('/health') || path.startsWith('/q/health') || path === '/version' || path === '/',
  errors: () => ({ 413: TOO_LARGE }),
};
