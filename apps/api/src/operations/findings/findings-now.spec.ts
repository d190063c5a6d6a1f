import { describe, expect, it } from '@jest/globals';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { FindingsNow } from './findings-now.js';
import type { Installation, ProjectionNow } from './installation-now.js';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const projection: ProjectionNow = {
  name: 'status.reports',
  service: 'status',
  state: 'live',
  lag: { events: 0, seconds: 0 },
  setAside: { partitions: 0, events: 0 },
  withheld: null,
  differences: 0,
};
const none = { value: 0 };
const counted = { waiting: 0, exact: true, oldestPublishedAt: null, oldestWaitingAt: null };
const messaging = { ...counted, deadLetters: none, pushFails: none, pushUnverified: none };
const well: Installation = {
  eventLog: null,
  readStore: null,
  projections: [projection],
  chain: { status: 'live', size: 1, lagSeconds: 0, anchorAgeSeconds: 50_000, unanchoredSeconds: 0 },
  auditIndex: { status: 'live', size: 1, position: '1', lagSeconds: 0, failure: null },
  history: { status: 'live', position: '1', lagSeconds: 0 },
  disk: { freeBytes: 100 * 2 ** 30, sizeBytes: 200 * 2 ** 30 },
  messaging,
  status: { groups: 1, notOk: 0, listed: [], worst: null, notCounted: [], late: [] },
  damage: null,
  results: null,
  erasuresFailed: 0,
  deadLettersKept: 0,
  subscriptionsFull: 0,
  memory: null,
  others: { nodes: [], missing: [] },
};
const memory = { bytes: 3 * 2 ** 30, limit: 4 * 2 ** 30, evicted: 0, refused: 0, refusal: null, drops: null, daysLeft: null };
const tenant = { tenant: 'EGI', tenantId: 't' };
const known = { groups: 1, notOk: 0, listed: [], worst: null, late: [] };
const ofNode = { look: async () => well, ofNode: async () => well };
const worst = { name: 'SITE-A', status: 'CRITICAL', tenant: 'EGI', tenantId: 't', report: 'daily', day: '2026-03-01', since: null };

/** Kinds and addresses of the findings in an installation that is well but for this. */
const foundIn = async (change: Partial<Installation>): Promise<readonly string[]> => {
  const now = { ...ofNode, look: async () => ({ ...well, ...change }) };
  const { findings } = await new FindingsNow(now, new Telemetry(), () => NOW, null, null).look();
  return findings.map(({ kind, view: { path, query } }) => `${kind} ${path}${query ? `?${new URLSearchParams(query)}` : ''}`);
};
const withProjection = (change: Partial<ProjectionNow>): Partial<Installation> => ({ projections: [{ ...projection, ...change }] });

describe('findings now', () => {
  it('are none in an installation that is well, however old an anchor is that covers all', async () =>
    expect(await foundIn({})).toEqual([]));

  it('are none for what is not known', async () =>
    expect(await foundIn({ messaging: null, status: null, auditIndex: null, history: null, disk: null })).toEqual([]));

  it.each<[Partial<Installation>, string]>([
    [{ eventLog: 'the disk is full' }, 'event-log /events'],
    [{ projections: null }, 'read-store /projections'],
    [{ memory: { ...memory, refusal: 'its memory is full' } }, 'read-store-refuses /projections'],
    [{ memory: { ...memory, drops: 'maxmemory-policy of Redis is allkeys-lru' } }, 'read-store-drops /projections'],
    [{ memory: { ...memory, daysLeft: 12.3 } }, 'read-store-filling /projections'],
    [{ others: { nodes: [], missing: ['projector'] } }, 'role-missing /operations'],
    [{ damage: { index: 7, kind: 'altered', detail: 'its event is not what it was' } }, 'damage /integrity'],
    [{ disk: { freeBytes: 2 ** 29, sizeBytes: 2 ** 40 } }, 'disk /operations'],
    [withProjection({ withheld: 'they are of another log', lag: { events: 5, seconds: 60 } }), 'withheld /projections/status.reports'],
    [withProjection({ setAside: { partitions: 1, events: 2 } }), 'set-aside /projections/status.reports'],
    [withProjection({ differences: 2 }), 'differs /projections/status.reports'],
    [withProjection({ lag: { events: 5, seconds: 60 } }), 'behind /projections/status.reports'],
    [{ auditIndex: { status: 'stopped', size: 1, position: '1', lagSeconds: 0, failure: 'event 1' } }, 'audit-index-stopped /integrity'],
    [{ history: { status: 'degraded', partitionsSetAside: { 'status.reports': 1 } } }, 'history-set-aside /projections/status.reports'],
    [{ chain: { status: 'behind', size: 1, lagSeconds: 7 } }, 'chain-behind /integrity'],
    [{ chain: { status: 'live', size: 2, unanchoredSeconds: 7_201 } }, 'anchor-old /integrity'],
    [{ results: { status: 'stopped', lagSeconds: 9, daysWaiting: 3 } }, 'results-stopped /events'],
    [{ erasuresFailed: 2 }, 'erasures-failed /operations'],
    [{ deadLettersKept: 1 }, 'dead-letters-kept /events?type=TopicDeleted'],
    [{ messaging: { ...messaging, pushFails: { value: 2 } } }, 'push-fails /messaging?tab=subscriptions&order=push'],
    [{ messaging: { ...messaging, pushUnverified: { value: 2 } } }, 'push-unverified /messaging?tab=subscriptions&order=push'],
    [{ messaging: { ...messaging, deadLetters: { value: 3 } } }, 'dead-letters /messaging?tab=subscriptions&order=dead-letters'],
    [{ messaging: { ...messaging, oldestWaitingAt: '2026-03-01T10:59:59.000Z' } }, 'backlog-old /messaging?tab=subscriptions&order=oldest'],
    [{ status: { groups: 1, notOk: 1, listed: [worst], worst, notCounted: [], late: [] } }, 'groups-not-ok /status?tenant=t&report=daily'],
    [{ status: { ...known, notCounted: [{ ...tenant, report: null, projection: 'status.results' }] } }, 'results-paused /status'],
    [{ status: { ...known, notCounted: [{ ...tenant, report: 'daily', projection: null }] } }, 'results-too-large /status'],
  ])('%j is one, with where to look', async (change, finding) => expect(await foundIn(change)).toEqual([finding]));

  it('include those of other nodes about themselves, with the roles of the node, the worst first', async () => {
    const finding = async (now: object) => new FindingsNow({ ...ofNode, ...now }, new Telemetry(), () => NOW, null, null);
    const worker = await finding({ ofNode: async () => ({ ...well, disk: { freeBytes: 1, sizeBytes: 2 }, erasuresFailed: 1 }) });
    const seen = { node: 'b:1', version: '1.0.0', seenAt: '2026-03-01T12:00:00.000Z', findings: await worker.ofNode() };
    const change = {
      erasuresFailed: 0,
      memory: { ...memory, daysLeft: 12 },
      others: { nodes: [{ ...seen, roles: ['projector'] }], missing: [] },
    };
    const { findings } = await (await finding({ look: async () => ({ ...well, ...change }) })).look();
    expect(findings.map(({ text }) => text)).toEqual([
      'A node with the roles projector: The disk is nearly full.',
      'A node with the roles projector: 1 erasure failed.',
      'The memory of Redis will be full in less than 30 days at the pace of the last week.',
    ]);
  });

  it('are looked up once for callers at the same time', async () => {
    let looks = 0;
    const now = new FindingsNow(
      { ...ofNode, look: async () => ({ ...well, erasuresFailed: ++looks }) },
      new Telemetry(),
      () => NOW,
      null,
      null,
    );
    const [one, other] = await Promise.all([now.look(), now.look()]);
    expect([one, looks]).toEqual([other, 1]);
  });
});
