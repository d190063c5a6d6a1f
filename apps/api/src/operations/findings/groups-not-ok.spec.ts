import { describe, expect, it } from '@jest/globals';
import { unavailable } from '#api/status/errors.js';
import { DomainError } from '#domain/shared/decider.js';
import type { GroupSummary, ResultsDay } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { PartitionSetAside, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import { sequenceOf } from '#projections/status/sequence.js';
import type { TenantQueries } from '#projections/status/tenants/queries.js';
import { GroupsOfAll } from './groups-not-ok.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');
/** When the last point of 2026-03-08 arrived. */
const LATE = Date.parse('2026-03-09T03:00:00Z');

/** `06:00 CRITICAL` and so on; from midnight `OK` unless it begins with `00:00`. */
const timelineOf = (text: string): Timeline => {
  const steps = text.split(', ').map((step) => {
    const [time = '', status = ''] = step.split(' ');
    return { at: 60 * (60 * Number(time.slice(0, 2)) + Number(time.slice(3))), status };
  });
  return steps[0]?.at === 0 ? steps : [{ at: 0, status: 'OK' }, ...steps];
};

/** Timelines of groups by day, by name; or why they cannot be read. */
type Groups = Readonly<Record<string, Readonly<Record<string, string>>>> | Error;

/** Groups of the report of a tenant, and of another tenant if they are given. */
const looked = async (...reports: readonly Groups[]) => {
  const read: string[] = [];
  const byCreation: TenantQueries['byCreation'] = async function* () {
    yield ['Alpine Grid', 'Lowland'].slice(0, reports.length).map((name, at) => ({ id: `${at}`, info: { name } })) as never;
  };
  const results: Results = { report: async (tenantId) => reportOf(reports[Number(tenantId)] ?? {}, read) as ReportReader };
  const points = { stamps: async () => new Map([['2026-03-08', sequenceOf(1n, 0)]]), lastOf: async () => 1 };
  const index = { indexAt: () => 0, event: () => ({ logTime: LATE }) } as unknown as AuditIndex;
  const reportNames = { names: async () => ['daily'] };
  const found = await new GroupsOfAll({ byCreation }, reportNames, results, points, { index }, () => NOW).newest();
  const listed = found?.listed.map(({ name, status, since }) => `${name} ${status} ${since}`);
  return found && { ...found, listed, read };
};

const reportOf = (days: Groups, read: string[]) => {
  const figures = { availability: 0, reliability: 0, unknown: 0, uptime: 0, downtime: 0 };
  const report: Pick<ReportReader, 'name' | 'now' | 'disabled' | 'computations' | 'days'> = {
    ...{ name: 'daily', now: NOW, disabled: false, computations: { ar: true, status: true, trends: [] } },
    async *days({ from }) {
      if (days instanceof Error) throw days;
      read.push(from);
      const groups = Object.entries(days[from] ?? {}).map(
        ([name, timeline]): GroupSummary => ({ name, timeline: timelineOf(timeline), flagged: false, figures }),
      );
      if (groups.length > 0) yield { day: from, seconds: 86_400, groups, supergroups: [] } satisfies ResultsDay;
    },
  };
  return report;
};

const OK = { '2026-03-10': { a: '00:00 OK' } };

describe('groups that are not OK now', () => {
  it('are listed the worst first, with the time since when, also if that was on an earlier day', async () => {
    const found = await looked({
      '2026-03-10': { a: '00:00 WARNING', b: '06:00 CRITICAL', c: '06:00 CRITICAL, 07:00 OK', d: '00:00 CRITICAL' },
      '2026-03-09': { a: '20:30 WARNING', b: '00:00 CRITICAL', d: '00:00 CRITICAL' },
      '2026-03-08': { d: '09:00 CRITICAL' },
    });
    expect(found).toMatchObject({
      ...{ groups: 4, notOk: 3, notCounted: [] },
      listed: ['b CRITICAL 2026-03-10T06:00:00Z', 'd CRITICAL 2026-03-08T09:00:00Z', 'a WARNING 2026-03-09T20:30:00Z'],
      worst: { name: 'b', tenant: 'Alpine Grid', tenantId: '0', report: 'daily' },
    });
  });

  it('began to be so at midnight if the day before ended otherwise, or has no results', async () => {
    const found = await looked({
      '2026-03-10': { a: '00:00 CRITICAL', b: '00:00 CRITICAL' },
      '2026-03-09': { a: '00:00 WARNING' },
    });
    expect(found?.listed).toEqual(['a CRITICAL 2026-03-10T00:00:00Z', 'b CRITICAL 2026-03-10T00:00:00Z']);
  });

  it('have an open beginning if that is more than 7 days ago', async () => {
    const day = (before: number) => new Date(NOW - 86_400_000 * before).toISOString().slice(0, 10);
    const found = await looked(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [day(at), { a: '00:00 MISSING' }])));
    expect(found?.listed).toEqual(['a MISSING null']);
    expect(found?.read).toHaveLength(8);
  });

  it('are looked for on today alone where all are OK', async () =>
    expect(await looked(OK)).toMatchObject({ groups: 1, notOk: 0, worst: null, read: ['2026-03-10'] }));

  const [lowland, well] = [
    { tenant: 'Lowland', tenantId: '1' },
    { groups: 1, notOk: 0, worst: null, listed: [] },
  ];
  it('are not known of a tenant that a read model has paused', async () =>
    expect(await looked(OK, new PartitionSetAside('status.results', 'tenant:1'))).toMatchObject({
      ...well,
      notCounted: [{ ...lowland, report: null, projection: 'status.results' }],
    }));

  it.each([new DomainError('OVER_LIMIT'), unavailable()])('are not known of a report that a call cannot read: %s', async (error) =>
    expect(await looked(OK, error)).toMatchObject({ ...well, notCounted: [{ ...lowland, report: 'daily', projection: null }] }),
  );

  it('are not known at all while the read models cannot be read', async () =>
    expect(await looked(OK, new ReadStoreUnavailable())).toBeNull());

  it('come with the days whose points arrived late', async () =>
    expect((await looked(OK))?.late).toEqual([{ day: '2026-03-08', at: '2026-03-09T03:00:00Z', tenant: 'Alpine Grid', tenantId: '0' }]));
});
