import type { StatusDetails } from '#api/status/answers/branches.js';
import { type DayItem, endpointsOn, groupsOn, type ItemNames, servicesOn } from '#api/status/day-items.js';
import type { GroupDay, GroupSummary, ResultsDay } from '#domain/status/results/results.js';
import type { EndpointMetrics } from '#projections/status/results/report-reader.js';
import type { DayRow } from './collected.js';

/** `flags`: set if the answer shows the days that a threshold rule affected. */
type RowOptions = Readonly<{ flags: boolean }>;

type Shown = Pick<GroupSummary, 'timeline' | 'flagged'> & Pick<DayRow, 'info'>;

function* timelinesOf(items: Iterable<DayItem<Shown>>, { flags }: RowOptions): Generator<DayRow> {
  for (const { names: path, item } of items)
    yield { path, info: item.info, addTo: (line, midnight) => line.addDay(midnight, item.timeline, flags && item.flagged) };
}

/** Endpoint groups, or only the one of that name. */
export const groupRows = (shown: RowOptions, group?: string) => (day: ResultsDay) => timelinesOf(groupsOn(day, { group }), shown);

export const serviceRows =
  (shown: RowOptions, wanted: ItemNames = {}) =>
  (day: ResultsDay<GroupDay>) =>
    timelinesOf(servicesOn(day, wanted), shown);

export const endpointRows =
  (shown: RowOptions, wanted: ItemNames = {}) =>
  (day: ResultsDay<GroupDay>) =>
    timelinesOf(endpointsOn(day, wanted), shown);

/** Endpoints whose info on the day has this `ID`. */
export const resourceRows = (shown: RowOptions, id: string) =>
  function* (day: ResultsDay<GroupDay>): Generator<DayRow> {
    for (const row of endpointRows(shown)(day)) if (row.info && Object.hasOwn(row.info, 'ID') && row.info.ID === id) yield row;
  };

export const groupAndEndpointRows = (shown: RowOptions) =>
  function* (day: ResultsDay<GroupDay>): Generator<DayRow> {
    yield* groupRows(shown)(day);
    yield* endpointRows(shown)(day);
  };

type Listed = EndpointMetrics['metrics'][number];

const detailsOf = ({ actualData, thresholdRule, originalStatus }: Listed['points'][number]): StatusDetails | undefined => {
  if (!actualData && !thresholdRule && !originalStatus) return undefined;
  return {
    ...(actualData && { actual_data: actualData }),
    ...(thresholdRule && { threshold_rule_applied: thresholdRule }),
    ...(originalStatus && { original_status: originalStatus }),
  };
};

/** Listed points of one metric, preceded by the previous state if that is from another day (results contract 12.4). */
const pointsOf =
  ({ previous, points }: Listed, details: boolean, isOtherDay: boolean): DayRow['addTo'] =>
  (line, midnight) => {
    if (isOtherDay) line.lead({ timestamp: previous.timestamp, value: previous.status });
    for (const point of points) line.add(midnight + point.at, point.status, details ? detailsOf(point) : undefined);
  };

/** Metrics of endpoints. `leads`: set if the previous state always comes first; default only if it is from another day. */
export const metricRows = (details: boolean, leads = false) =>
  function* ({ day, endpoints }: Readonly<{ day: string; endpoints: readonly EndpointMetrics[] }>): Generator<DayRow> {
    for (const { group, service, host, info, metrics } of endpoints)
      for (const metric of metrics) {
        const isOtherDay = leads || !metric.previous.timestamp.startsWith(day);
        yield { path: [group, service, host, metric.metric], info, addTo: pointsOf(metric, details, isOtherDay) };
      }
  };
