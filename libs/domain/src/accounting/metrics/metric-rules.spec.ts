import { describe, expect, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { Metric, MetricEvent } from './metric-events.js';
import { type MetricChanges, type MetricCommand, metricRecord } from './metric-rules.js';

const given = deciderSpec(metricRecord);
const now = '2031-04-01T00:00:00.000Z';
const copies = { projectAcronym: 'P', installation: 'vm', infrastructure: 'i', resource: null, creatorId: 'me' };
const ids = { metricId: 'm', projectId: 'p', providerId: 'v', installationId: 'x', definitionId: 'd' };
const metric: Metric = {
  ...ids,
  periodStart: '2031-03-01T00:00:00.000Z',
  periodEnd: '2031-03-02T00:00:00.000Z',
  value: '1.50',
  groupId: null,
  userId: 'u',
};
const recorded: MetricEvent = { type: 'MetricRecorded', data: { ...metric, ...copies } };
const removed: MetricEvent = { type: 'MetricRemoved', data: metric };

const record = (start: string | null, end: string | null): MetricCommand => ({
  type: 'RecordMetric',
  metric: { ...ids, value: '1.50', groupId: null, userId: 'u' },
  period: { start, end },
  copies,
  now,
});

const nothing: MetricChanges = { definitionId: null, value: null, groupId: null, userId: null };
const revise = (changes: Partial<MetricChanges>, start: string | null = null, end: string | null = null): MetricCommand => ({
  type: 'ReviseMetric',
  metricId: 'm',
  installationId: 'x',
  changes: { ...nothing, ...changes },
  period: { start, end },
  now,
  fence: 0,
});
const revised = (changes: Partial<Metric>): MetricEvent => ({ type: 'MetricRevised', data: { ...metric, ...changes, before: metric } });

const [FIRST, SECOND, THIRD, LATER] = ['2031-03-01T00:00:00Z', '2031-03-02T00:00:00Z', '2031-03-03T00:00:00Z', '2031-04-01T00:00:01Z'];

describe('a new metric', () => {
  it('is recorded with copies of the names of its installation', () => given().when(record(FIRST, SECOND)).then(recorded));

  it('has a period that ends no later than now', () =>
    given()
      .when(record(FIRST, '2031-04-01T00:00:00Z'))
      .then({ type: 'MetricRecorded', data: { ...metric, periodEnd: now, ...copies } }));

  it.each<[string | null, string | null, string, object]>([
    [null, null, 'METRIC_TIMESTAMP_MISSING', { field: 'time_period_start' }],
    ['bad', null, 'METRIC_TIMESTAMP_MISSING', { field: 'time_period_end' }],
    ['bad', 'bad', 'METRIC_TIMESTAMP_MALFORMED', { field: 'time_period_start', value: 'bad' }],
    ['', SECOND, 'METRIC_TIMESTAMP_MALFORMED', { field: 'time_period_start', value: '' }],
    [LATER, '2031-02-30T00:00:00Z', 'METRIC_TIMESTAMP_MALFORMED', { field: 'time_period_end', value: '2031-02-30T00:00:00Z' }],
    [FIRST, LATER, 'METRIC_PERIOD_IN_FUTURE', {}],
    [LATER, FIRST, 'METRIC_PERIOD_IN_FUTURE', {}],
    [LATER, LATER, 'METRIC_PERIOD_IN_FUTURE', {}],
    [FIRST, '2031-03-01T00:00:00.000Z', 'METRIC_PERIOD_EMPTY', {}],
    [SECOND, FIRST, 'METRIC_PERIOD_REVERSED', {}],
  ])('from %s to %s is refused: %s', (start, end, code, details) => given().when(record(start, end)).thenRejected(code, details));

  it('needs an unused id', () => {
    given(recorded).when(record(FIRST, SECOND)).thenRejected('METRIC_ID_USED');
    given(recorded, removed).when(record(FIRST, SECOND)).thenRejected('METRIC_ID_USED');
  });
});

describe('a revision of a metric', () => {
  it.each<[MetricCommand, Partial<Metric>]>([
    [revise({ value: '2' }), { value: '2' }],
    [revise({ definitionId: 'e', groupId: 'g' }), { definitionId: 'e', groupId: 'g' }],
    [revise({ userId: '' }), { userId: '' }],
    [revise({}, '2031-03-01T12:00:00Z'), { periodStart: '2031-03-01T12:00:00.000Z' }],
    [revise({}, '', THIRD), { periodEnd: '2031-03-03T00:00:00.000Z' }],
    [revise({}, SECOND, THIRD), { periodStart: '2031-03-02T00:00:00.000Z', periodEnd: '2031-03-03T00:00:00.000Z' }],
  ])('changes only the given members', (command, changes) => given(recorded).when(command).then(revised(changes)));

  it.each([revise({}), revise({ value: '1.50', userId: 'u' }, FIRST, SECOND)])('records nothing when nothing changes', (command) =>
    given(recorded).when(command).then(),
  );

  it.each<[string | null, string | null, string, object]>([
    ['bad', null, 'METRIC_TIMESTAMP_MALFORMED', { field: 'time_period_start', value: 'bad' }],
    [null, 'bad', 'METRIC_TIMESTAMP_MALFORMED', { field: 'time_period_end', value: 'bad' }],
    [THIRD, null, 'METRIC_PERIOD_REVERSED', {}],
    [LATER, null, 'METRIC_PERIOD_REVERSED', {}],
    [null, '2031-02-01T00:00:00Z', 'METRIC_END_BEFORE_START', {}],
    [THIRD, SECOND, 'METRIC_PERIOD_REVERSED', {}],
    [LATER, LATER, 'METRIC_PERIOD_EMPTY', {}],
    [null, LATER, 'METRIC_PERIOD_IN_FUTURE', {}],
    [FIRST, LATER, 'METRIC_PERIOD_IN_FUTURE', {}],
    [SECOND, null, 'METRIC_PERIOD_EMPTY', {}],
    [null, FIRST, 'METRIC_PERIOD_EMPTY', {}],
  ])('from %s to %s is refused: %s', (start, end, code, details) =>
    given(recorded)
      .when(revise({}, start, end))
      .thenRejected(code, details),
  );
});

describe('a change of the definition of a metric', () => {
  const forestall: MetricCommand = { type: 'ForestallRevision', metricId: 'm' };
  const fenced = (fence: number): MetricEvent => ({ type: 'MetricRevised', data: { ...metric, before: metric, fence } });
  const change = { ...revise({ definitionId: 'other' }), fence: 1 } as MetricCommand;

  it('is forestalled by an event that changes nothing but the fence', async () => {
    await given(recorded).when(forestall).then(fenced(1));
    await given(recorded, fenced(1)).when(forestall).then(fenced(2));
  });
  it('is refused if it was forestalled meanwhile, even after other revisions', async () => {
    await given(recorded, fenced(1))
      .when(revise({ definitionId: 'other' }))
      .thenRejected('REFERENCE_FENCED');
    await given(recorded, fenced(2)).when(change).thenRejected('REFERENCE_FENCED');
  });
  it('can be repeated with the current fence, which later revisions keep', async () => {
    const changed: Metric = { ...metric, definitionId: 'other' };
    const after: MetricEvent = { type: 'MetricRevised', data: { ...changed, before: metric, fence: 1 } };
    await given(recorded, fenced(1)).when(change).then(after);
    await given(recorded, after)
      .when(revise({ value: '2' }))
      .then({ type: 'MetricRevised', data: { ...changed, value: '2', before: changed, fence: 1 } });
  });
  it('is refused if no definition is held', () =>
    given(recorded)
      .when({ ...revise({ definitionId: 'other' }), fence: undefined } as MetricCommand)
      .thenRejected('REFERENCE_FENCED'));
  it('does not affect other revisions or removed metrics', async () => {
    await given(recorded, fenced(1))
      .when(revise({ value: '2' }))
      .then({ type: 'MetricRevised', data: { ...metric, value: '2', before: metric, fence: 1 } });
    await given(recorded, removed).when(forestall).then();
    await given().when(forestall).then();
  });
});

describe('a metric', () => {
  it('is removed with an event that carries its last values', () => {
    const after = revised({ value: '2' });
    given(recorded, after)
      .when({ type: 'RemoveMetric', metricId: 'm', installationId: 'x' })
      .then({ type: 'MetricRemoved', data: { ...metric, value: '2' } });
  });

  it.each<[string, readonly MetricEvent[], string]>([
    ['was never recorded', [], 'x'],
    ['was removed', [recorded, removed], 'x'],
    ['belongs to another installation', [recorded], 'y'],
  ])('is not found when it %s', (_why, events, installationId) => {
    given(...events)
      .when({ type: 'RemoveMetric', metricId: 'm', installationId })
      .thenRejected('METRIC_NOT_FOUND', { metricId: 'm' });
    given(...events)
      .when({ ...revise({}, 'bad'), installationId } as MetricCommand)
      .thenRejected('METRIC_NOT_FOUND', { metricId: 'm' });
  });

  it('is folded from its last event alone', () => expect(metricRecord.window).toBe(1));
});
