import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Paging } from '#api/accounting/paging.js';
import type { Metric, MetricEvent } from '#domain/accounting/metrics/metric-events.js';
import { objectId } from '#domain/accounting/object-id.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { METRICS_READ_MODEL } from '#projections/accounting/metrics/documents.js';
import { MetricListQueries } from '#projections/accounting/metrics/list-queries.js';
import { groupMember, MetricQueries } from '#projections/accounting/metrics/queries.js';
import { metricsProjection } from '#projections/accounting/usage-projection.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { type GivenEvent, textsAfter } from '#test/support/projection-spec.js';
import { FirstKeys } from './first-keys.js';
import { MetricLists } from './metric-lists.js';
import type { MetricListFilter } from './parameters.js';

const HOUR = 3_600_000;
const at = (hour: number): string => new Date(Date.UTC(2021, 0, 1) + hour * HOUR).toISOString();

/** More than are read at a time: mostly of one definition, of two installations, with older ones later. */
const metrics = Array.from(
  { length: 2_600 },
  (_, number): Metric => ({
    metricId: objectId(0, `${number}`.padStart(16, '0')),
    projectId: 'p',
    providerId: 'v',
    installationId: number % 10 === 0 ? 'y' : 'x',
    definitionId: number % 7 === 0 ? 'e' : 'd',
    periodStart: at(3_000 - number),
    periodEnd: at(3_000 - number + 1 + (number % 50)),
    value: `${number}`,
    groupId: number % 3 === 0 ? 'g' : null,
    userId: null,
  }),
);

const content = { organisation: 'v', infrastructure: 'i', installation: 'vm', resource: null, unitOfAccess: null };
const installed = (installationId: string): GivenEvent => ({
  type: 'InstallationCreated',
  data: { projectId: 'p', generation: 1, installationId, externalId: 'e', creatorId: 'me', ...content },
});
const copies = { projectAcronym: 'P', installation: 'vm', infrastructure: 'i', resource: null, creatorId: 'me' };
const events = [
  installed('x'),
  installed('y'),
  ...metrics.map((metric): MetricEvent => ({ type: 'MetricRecorded', data: { ...metric, ...copies } })),
];

describe('A list of many metrics', () => {
  let lists: MetricLists;
  let queries: MetricQueries;
  beforeAll(() => {
    const view = memoryView(textsAfter(metricsProjection, events));
    const store: Pick<ReadStore, 'view'> = { view: (projection) => (projection === METRICS_READ_MODEL ? view : memoryView({})) };
    queries = new MetricQueries(store);
    lists = new MetricLists(new MetricListQueries(store), new DefinitionQueries(store));
  });

  afterEach(() => void jest.restoreAllMocks());

  type Part = Readonly<{ installation?: string; group?: true }>;
  const work = (isPointless = false) => ({ slice: new TimeSlice(), isPointless });
  const page = async (part: Part, filter: MetricListFilter, paging: Paging, isPointless = false) => {
    const all = await queries.measured('p', undefined, work());
    const installations = all.filter(({ installationId }) => part.installation === undefined || part.installation === installationId);
    const scope = { projectId: 'p', installations, wholeProject: part.installation === undefined };
    const { content, total } = await lists.page(
      part.group ? { ...scope, member: groupMember('g') } : scope,
      filter,
      paging,
      work(isPointless),
    );
    return { ids: content.map((text) => (JSON.parse(`${text}`) as { id: string }).id), total };
  };
  const naive = (part: Part, { definitionId, from, until }: MetricListFilter, { page, size }: Paging) => {
    const wanted = metrics.filter(
      (metric) =>
        (part.installation === undefined || part.installation === metric.installationId) &&
        (!part.group || metric.groupId === 'g') &&
        (definitionId === undefined || metric.definitionId === definitionId) &&
        (from === undefined || metric.periodStart >= from) &&
        (until === undefined || metric.periodEnd <= until),
    );
    return { ids: wanted.slice((page - 1) * size, page * size).map(({ metricId }) => metricId), total: wanted.length };
  };

  it.each<[Part, MetricListFilter]>([
    [{}, {}],
    [{}, { definitionId: 'd' }],
    [{}, { definitionId: 'nosuch' }],
    [{ installation: 'x' }, {}],
    [{ installation: 'y' }, { definitionId: 'e' }],
    [{ group: true }, {}],
    [{}, { from: at(480), until: at(2_880) }],
    [{}, { from: at(2_000) }],
    [{ group: true }, { until: at(2_500) }],
    [{ installation: 'x' }, { definitionId: 'd', from: at(480), until: at(2_880) }],
    [{}, { from: at(10_000) }],
  ])('has in its pages, of %j with %j, what all metrics have there in the order of their age', async (part, filter) => {
    for (const paging of [
      { page: 1, size: 10 },
      { page: 12, size: 100 },
      { page: 230, size: 10 },
      { page: 9_999, size: 10 },
    ])
      expect(await page(part, filter, paging)).toEqual(naive(part, filter, paging));
  });

  it('is only counted for a page behind its last metric', async () => {
    const kept = jest.spyOn(FirstKeys.prototype, 'from');
    const paging = { page: 2_147_483_647, size: 100 };
    expect(await page({}, { from: at(480) }, paging)).toEqual(naive({}, { from: at(480) }, paging));
    expect(Reflect.get(kept.mock.contexts[0] ?? {}, 'keys')).toEqual([]);
  });

  it.each<MetricListFilter>([{ from: at(480) }, { definitionId: 'd' }])('with %j is not read for a client that is gone', async (filter) => {
    const read = jest.spyOn(MetricListQueries.prototype, 'from' in filter ? 'within' : 'allOfSeries');
    await page({}, filter, { page: 1, size: 10 }, true);
    expect(read).not.toHaveBeenCalled();
  });
});
