import { endpointsOn } from '#api/status/day-items.js';
import type { Day } from '#domain/shared/time.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';
import { inPages, type Slice } from '#projections/shared/pages.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import type { EndpointMetrics, ReportReader } from '#projections/status/results/report-reader.js';
import { byMembers } from '#projections/status/text-order.js';
import { instantOf } from './metric-timelines.js';

/** Returns whether a status is an issue. */
export type IsIssue = (status: string) => boolean;

/** Sorted, in the format of answers. @throws DomainError `OVER_LIMIT` */
async function* inOrder<Issue extends object>(
  issues: AsyncIterable<Issue>,
  compare: (left: Issue, right: Issue) => number,
  slice: Slice,
): AsyncGenerator<readonly Buffer[]> {
  const all: Issue[] = [];
  for await (const issue of issues) {
    if (all.push(issue) > STATUS_LIMITS.resultsPerAnswer.value) throw overLimit('resultsPerAnswer');
    if (slice.isOver) await slice.next();
  }
  await sortInSlices(all, compare, slice);
  function* encoded(): Generator<Buffer> {
    for (const issue of all) yield Buffer.from(wireText(issue, RECORD_DEPTH));
  }
  yield* inPages(encoded(), ({ length }) => length, slice);
}

/** Endpoints whose last status of a day is an issue. */
export const endpointIssues = (report: ReportReader, day: Day, isIssue: IsIssue, slice: Slice): AsyncGenerator<readonly Buffer[]> => {
  async function* found() {
    for await (const computed of report.details({ from: day, to: day }))
      for (const { names, item } of endpointsOn(computed)) {
        const [endpoint_group = '', service = '', endpoint = ''] = names;
        const { at, status } = item.timeline.at(-1) ?? { at: 0, status: '' };
        if (!isIssue(status)) continue;
        yield { timestamp: instantOf(day, at), endpoint_group, service, endpoint, status, ...(item.info && { info: item.info }) };
      }
  }
  return inOrder(found(), byMembers('endpoint', 'service', 'endpoint_group'), slice);
};

/** Each status of the metrics of an endpoint, once. */
function* statusesOf({ service, host: hostname, info, metrics }: EndpointMetrics) {
  for (const { metric, points } of metrics)
    for (const status of new Set(points.map((point) => point.status))) yield { service, hostname, metric, status, ...(info && { info }) };
}

/** The issues that metrics of a group had on a day. */
export const metricIssues = (
  report: ReportReader,
  { day, group }: Readonly<{ day: Day; group: string }>,
  isIssue: IsIssue,
  slice: Slice,
): AsyncGenerator<readonly Buffer[]> => {
  async function* found() {
    for await (const { endpoints } of report.metrics({ from: day, to: day }, { group }))
      for (const endpoint of endpoints) for (const one of statusesOf(endpoint)) if (isIssue(one.status)) yield one;
  }
  return inOrder(found(), byMembers('service', 'hostname', 'metric', 'status'), slice);
};
