import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { metricProfilesKind } from '#api/status/dated-records/metric-profiles.js';
import { dayBefore, dayOf } from '#domain/shared/time.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { CreateReport, ReviseReport, type SubmittedReport } from './commands.js';

const { create: CreateMetricProfile, date: DateMetricProfileSnapshot } = metricProfilesKind.commands;

let application: Application;
let reports: ReportQueries;
beforeAll(async () => {
  application = await openApplication();
  reports = application.get(ReportQueries);
});
afterAll(() => application?.close());

const report = (name: string, changes: Partial<SubmittedReport> = {}): SubmittedReport => ({
  name,
  description: '',
  weight: '',
  disabled: false,
  computations: undefined,
  thresholds: undefined,
  topology_schema: '{}',
  profiles: [],
  filter_tags: [],
  ...changes,
});
const profiles = [{ id: 'p', type: 'metric' }];
const today = dayOf(new Date().toISOString());

describe('Creating a report', () => {
  it('names the profiles as of the day of the command', async () => {
    const tenantId = 't-1';
    const named = (name: string, date: string) => ({ id: 'p', date, record: { name, description: '', services: [] } });
    await application.execute(new CreateMetricProfile(contextFor('status'), { tenantId, ...named('before', '2024-01-01') }));
    await application.execute(new DateMetricProfileSnapshot(contextFor('status'), { tenantId, ...named('now', dayBefore(today)) }));
    await application.execute(new DateMetricProfileSnapshot(contextFor('status'), { tenantId, ...named('later', '9999-12-31') }));
    expect(
      await application.execute(new CreateReport(contextFor('status'), { tenantId, report: report('r', { profiles }) })),
    ).toMatchObject({
      readable: true,
    });
    const created = await reports.byName({ tenantId, name: 'r' });
    expect(created?.profiles).toEqual([{ id: 'p', name: 'now', type: 'metric' }]);
  });

  it('is refused where the tenant has no such profile', () =>
    expect(
      application.execute(new CreateReport(contextFor('status'), { tenantId: 't-2', report: report('r', { profiles }) })),
    ).rejects.toMatchObject({
      code: 'REPORT_INVALID',
      details: { problems: [{ message: 'Profile id not found', details: 'No profile in metric_profiles was found with id p' }] },
    }));

  it('is refused with more profiles than a report may have', () =>
    expect(
      application.execute(
        new CreateReport(contextFor('status'), { tenantId: 't-3', report: report('r', { profiles: Array(101).fill(profiles[0]) }) }),
      ),
    ).rejects.toMatchObject({ code: 'OVER_LIMIT' }));
});

describe('Revising a report', () => {
  it('is refused for one that is unknown', () =>
    expect(
      application.execute(new ReviseReport(contextFor('status'), { tenantId: 't-4', id: 'unknown', report: report('r') })),
    ).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    }));
});
