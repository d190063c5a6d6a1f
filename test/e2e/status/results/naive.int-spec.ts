import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import { DAY_SECONDS } from '#domain/status/results/timeline.js';
import { timeOfDay } from '#domain/status/results/windows.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { ADMIN, type Deployment, embedded } from '#test/support/deployments.js';
import type { NaiveResults } from '#test/support/results/naive.js';
import { NaiveWorld, type ProfileType, type Write } from '#test/support/results/naive-world.js';
import { type Days, writeLists } from '#test/support/results/random-writes.js';
import { idOf, registerTenant, statusClient } from '#test/support/status-client.js';
import { isFullRun, runs, SEED } from '#test/support/test-runs.js';

const PATHS: Readonly<Record<ProfileType, string>> = {
  operations: '/operations_profiles',
  metric: '/metric_profiles',
  aggregation: '/aggregation_profiles',
  thresholds: '/thresholds_profiles',
  weights: '/weights',
};
/** How many profiles every list of writes begins with. */
const PROFILES = Object.keys(PATHS).length;
/** Read models that results are made of. */
const READ_MODELS = ['status.results', 'status.dated-records', 'status.day-lists', 'status.recomputations', 'status.reports'];
const SCHEMA = { group: { type: 'NGI', group: { type: 'SITES' } } };
const DAY_MILLISECONDS = DAY_SECONDS * 1000;

/** The report of a tenant of its own, and who writes for it. */
class Sender {
  private readonly profiles: Partial<Record<ProfileType, string>> = {};
  private readonly requests: string[] = [];
  report = '';

  private constructor(
    private readonly lab: PastLab,
    readonly tenantId: string,
    private readonly key: string,
  ) {}

  static async register(lab: PastLab, name: string): Promise<Sender> {
    return new Sender(lab, await registerTenant(statusClient(lab.url), ADMIN, name, ['admin']), `${name}-admin`);
  }

  async send(write: Write): Promise<void> {
    switch (write.kind) {
      case 'profile':
        return this.profile(write);
      case 'points':
        await this.call(
          'POST',
          '/metric_data',
          write.points.map((point) => this.wire(point)),
        );
        return;
      case 'recomputation':
        return this.recompute(write.request);
      case 'forget': {
        const id = this.requests.shift();
        if (id) await this.call('DELETE', `/recomputations/${id}`);
        return;
      }
      case 'report':
        return this.describeReport(write);
      default: {
        const path = `/${write.kind === 'downtimes' ? 'downtimes' : `topology/${write.kind}`}?date=${write.day}`;
        await this.lab.http.delete(`/api/v2${path}`, { key: this.key });
        await this.call('POST', path, write.kind === 'downtimes' ? { endpoints: write.items } : write.items);
      }
    }
  }

  /** With the id that the report got. */
  wire({ day, at, group, monitoringHost, actualData, ...point }: Extract<Write, { kind: 'points' }>['points'][number]) {
    return {
      ...point,
      timestamp: `${day}T${timeOfDay(at)}Z`,
      ...(group && { endpoint_group: group }),
      ...(monitoringHost && { monitoring_host: monitoringHost }),
      ...(actualData && { actual_data: actualData }),
    };
  }

  private async profile({ type, day, body }: Extract<Write, { kind: 'profile' }>): Promise<void> {
    const id = this.profiles[type];
    const sent = type === 'aggregation' ? { ...body, metric_profile: { id: this.profiles.metric } } : body;
    if (id) await this.call('PUT', `${PATHS[type]}/${id}?date=${day}`, sent);
    else this.profiles[type] = idOf(await this.call('POST', `${PATHS[type]}?date=${day}`, sent));
  }

  async describeReport({ thresholds, weights }: Readonly<{ thresholds: boolean; weights: boolean }>): Promise<void> {
    const types = (Object.keys(PATHS) as ProfileType[]).filter(
      (type) => (thresholds || type !== 'thresholds') && (weights || type !== 'weights'),
    );
    const profiles = types.map((type) => ({ type, id: this.profiles[type] }));
    const body = { info: { name: 'Random' }, topology_schema: SCHEMA, profiles };
    if (this.report) await this.call('PUT', `/reports/${this.report}`, body);
    else this.report = idOf(await this.call('POST', '/reports', body));
  }

  private async recompute({ approved, own, ...request }: Extract<Write, { kind: 'recomputation' }>['request']): Promise<void> {
    const who = { requester_name: 'Ann', requester_email: 'ann@example.org', reason: 'power cut' };
    const id = idOf(await this.call('POST', '/recomputations', { ...who, ...request, report: own ? 'Random' : 'Other' }));
    this.requests.push(id);
    if (approved) await this.call('POST', `/recomputations/${id}/status`, { status: 'approved' });
  }

  private async call(method: string, path: string, body?: unknown) {
    const answer = await this.lab.http.call(method, `/api/v2${path}`, { key: this.key, ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text} for ${JSON.stringify(body)}`);
    return answer;
  }
}

/** All results of a tenant's report by day, in the shape of the naive computation. */
const read = async (results: Results, tenantId: string, [from, , to]: Days): Promise<ReadonlyMap<string, NaiveResults>> => {
  const reader = await results.report(tenantId, 'Random');
  const days = new Map<string, NaiveResults>();
  for await (const { day, groups, supergroups } of reader!.details({ from, to })) days.set(day, { groups, supergroups, metrics: [] });
  for await (const { day, endpoints } of reader!.metrics({ from, to }, {})) {
    const known = days.get(day)!;
    days.set(day, { ...known, metrics: [...known.metrics, ...endpoints.flatMap(({ metrics }) => metrics)] });
  }
  return days;
};

/** With the id that the report got. */
const pointsNaming = (report: string, write: Write): Write => {
  if (write.kind !== 'points') return write;
  return { ...write, points: write.points.map((point) => (point.report === 'report-1' ? { ...point, report } : point)) };
};

describe('results over real stores', () => {
  let deployment: Deployment;
  let lab: PastLab;
  let results: Results;
  beforeAll(async () => {
    deployment = await embedded();
    lab = await openPastLab(deployment, { LOGBOOK_HISTORY: 'off' });
    results = resultsOver(lab.runtime.readStore, lab.runtime.clock);
  });
  afterAll(async () => {
    await lab?.close();
    await deployment?.dispose();
  });

  it(`are at any time those of a naive computation from all that was sent, and after a rebuild (seed ${SEED})`, async () => {
    const now = lab.runtime.clock();
    const today = now - (now % DAY_MILLISECONDS);
    const dayOf = (offset: number) => new Date(today + offset * DAY_MILLISECONDS).toISOString().slice(0, 10);
    const days: Days = [dayOf(-2), dayOf(-1), dayOf(0)];
    const second = Math.floor((now - today) / 1000);
    const ends: { sender: Sender; naive: ReadonlyMap<string, NaiveResults> }[] = [];
    await fc.assert(
      fc.asyncProperty(writeLists(days), async (lists) => {
        const sender = await Sender.register(lab, `tenant-${ends.length}`);
        const base = lists.slice(0, PROFILES);
        for (const write of base) await sender.send(write);
        await sender.describeReport({ thresholds: true, weights: true });
        const writes = lists.map((write) => pointsNaming(sender.report, write));
        const naiveOf = (count: number) => new NaiveWorld(sender.report, ['NGI', 'SITES'], writes.slice(0, count)).results(days[2], second);
        for (let count = PROFILES + 1; count <= writes.length; count++) {
          await sender.send(writes[count - 1]!);
          if (count % 4 === 0) expect(await read(results, sender.tenantId, days)).toEqual(naiveOf(count));
        }
        const naive = naiveOf(writes.length);
        ends.push({ sender, naive });
        expect(await read(results, sender.tenantId, days)).toEqual(naive);
      }),
      { numRuns: runs(8, 2), seed: SEED, endOnFailure: true },
    );
    for (const name of READ_MODELS) await lab.runtime.readModels.rebuild(name);
    const anew = resultsOver(lab.runtime.readStore, lab.runtime.clock);
    for (const { sender, naive } of ends) expect(await read(anew, sender.tenantId, days)).toEqual(naive);
    if (isFullRun) expect(ends.some(({ naive }) => naive.size > 0)).toBe(true); // two runs of the desk may have none
  });
});
