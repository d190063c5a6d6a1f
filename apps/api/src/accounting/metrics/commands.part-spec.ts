import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeleteMetricDefinition } from '#api/accounting/definitions/definition-commands.js';
import { type InstallationRef, MetricQueries } from '#projections/accounting/metrics/queries.js';
import { addDefinition, addInstallation, callerWith } from '#test/support/accounting/accounting-records.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { type NewMetric, RecordMetric, RemoveMetric, ReviseMetric } from './commands.js';

const NOBODY = 'f'.repeat(24);
const PERIOD = { start: '2022-01-01T00:00:00Z', end: '2022-01-02T00:00:00Z' };
const UNCHANGED = { definitionId: null, value: null, groupId: null, userId: null, period: { start: null, end: null } };
const administrator = callerWith(['admin']);

let application: Application;
let installation: InstallationRef;
let definitionId: string;
beforeAll(async () => {
  application = await openApplication();
  installation = await addInstallation(application, 'metrics');
  definitionId = await addDefinition(application, 'hours');
});
afterAll(() => application?.close());

const metricOf = (changes: Partial<NewMetric> = {}): NewMetric => ({
  definitionId,
  period: PERIOD,
  value: '1.50',
  groupId: null,
  userId: null,
  ...changes,
});
const record = (changes: Partial<NewMetric> = {}, { context = contextFor('accounting'), caller = administrator } = {}) =>
  application.execute(new RecordMetric(context, { caller, installationId: installation.installationId, metric: metricOf(changes) }));
const revise = (metricId: string, changes: object, of = installation) =>
  application.execute(new ReviseMetric(contextFor('accounting'), { installation: of, metricId, revision: { ...UNCHANGED, ...changes } }));
const remove = (metricId: string, of = installation) =>
  application.execute(new RemoveMetric(contextFor('accounting'), { installation: of, metricId }));
const stored = (metricId: string) => application.get(MetricQueries).find(installation, metricId);

describe('Recording a metric', () => {
  it('resolves with the metric, which reads show then with copies of the names of its installation', async () => {
    const { record: metric, readable } = await record({ groupId: 'g' });
    expect(metric).toMatchObject({ ...installation, definitionId, value: '1.50', groupId: 'g', periodStart: '2022-01-01T00:00:00.000Z' });
    expect(readable).toBe(true);
    expect(await stored(metric.metricId)).toMatchObject({ projectAcronym: 'EGI', installation: 'metrics', creatorId: 'spec' });
  });

  it('counts zero if no value is given', async () => expect((await record({ value: null })).record.value).toBe('0'));

  it('takes a definition id in upper case, too', async () =>
    expect((await record({ definitionId: definitionId.toUpperCase() })).record.definitionId).toBe(definitionId));

  it('records nothing more for a repeated idempotency key, and gives back the first metric', async () => {
    const before = await application.get(MetricQueries).seriesOfEach([installation]);
    const idempotency = { key: 'key-of-call', body: 'body' };
    const first = await record({}, { context: { ...contextFor('accounting'), idempotency } });
    const second = await record({}, { context: { ...contextFor('accounting'), idempotency } });
    expect(second.record).toEqual(first.record);
    const [after] = await application.get(MetricQueries).seriesOfEach([installation]);
    expect(after?.[definitionId]?.count).toBe((before[0]?.[definitionId]?.count ?? 0) + 1);
  });

  it('does not use up the idempotency key of a call that is refused', async () => {
    const context = { ...contextFor('accounting'), idempotency: { key: 'key-of-refused-call', body: 'body' } };
    await expect(record({ period: { start: PERIOD.end, end: PERIOD.start } }, { context })).rejects.toMatchObject({
      code: 'METRIC_PERIOD_REVERSED',
    });
    expect((await record({}, { context })).readable).toBe(true);
  });

  it('is refused for an unknown definition', () =>
    expect(record({ definitionId: NOBODY })).rejects.toMatchObject({
      code: 'DEFINITION_NOT_FOUND',
      details: { definitionId: NOBODY },
    }));

  it('is refused for callers without a role on the installation', () =>
    expect(record({}, { caller: callerWith(['admin', 'other-project']) })).rejects.toMatchObject({ statusCode: 403 }));
});

describe('Revising a metric', () => {
  it('resolves with the metric as it is now', async () => {
    const { metricId } = (await record()).record;
    expect((await revise(metricId, { value: '7' })).record).toMatchObject({ metricId, value: '7', definitionId });
    expect(await stored(metricId)).toMatchObject({ value: '7' });
  });

  it('resolves with the metric as it was if nothing changes', async () => {
    const { metricId } = (await record()).record;
    expect((await revise(metricId, { value: '1.50' })).record).toMatchObject({ metricId, value: '1.50' });
  });

  it('is refused for the metric of another installation', async () => {
    const { metricId } = (await record()).record;
    const other = { ...installation, installationId: NOBODY };
    await expect(revise(metricId, { value: '7' }, other)).rejects.toMatchObject({ code: 'METRIC_NOT_FOUND', details: { metricId } });
  });
});

describe('Removing a metric', () => {
  it('takes it out of all reads', async () => {
    const { metricId } = (await record()).record;
    expect((await remove(metricId)).readable).toBe(true);
    expect(await stored(metricId)).toBeUndefined();
  });

  it('is refused for an unknown metric, under the id as it was sent', () =>
    expect(remove('No Id')).rejects.toMatchObject({ code: 'METRIC_NOT_FOUND', details: { metricId: 'No Id' } }));
});

describe('Deleting a definition', () => {
  it('is refused as long as it has metrics', async () => {
    const used = await addDefinition(application, 'used');
    const { metricId } = (await record({ definitionId: used })).record;
    const deletion = () => application.execute(new DeleteMetricDefinition(contextFor('accounting'), { definitionId: used }));
    await expect(deletion()).rejects.toMatchObject({ code: 'DEFINITION_MEASURED_DELETE' });
    await remove(metricId);
    expect((await deletion()).readable).toBe(true);
  });
});
