import type { StatusDetails } from '#api/status/branches.js';
import type { GroupDay, GroupSummary, ResultsDay, ServiceDay } from '#domain/status/results/results.js';
import type { EndpointMetrics } from '#projections/status/results/report-reader.js';
import type { DayRow } from './collected.js';

/** Which items of a group an answer is about; what is left out matches everything. */
type EndpointFilter = Readonly<{ service?: string | undefined; host?: string | undefined }>;

/** `flags`: whether the answer shows which days a threshold rule affected. */
type RowOptions = Readonly<{ flags: boolean }>;

type Dated = Pick<GroupSummary, 'timeline' | 'flagged'>;

const timelineOf =
  ({ timeline, flagged }: Dated, { flags }: RowOptions): DayRow['addTo'] =>
  (line, midnight) =>
    line.addDay(midnight, timeline, flags && flagged);

const matches = (wanted: string | undefined, name: string): boolean => wanted === undefined || wanted === name;

/** Endpoint groups, or the one of that name. */
export const groupRows = (shown: RowOptions, wanted?: string) =>
  function* ({ groups }: ResultsDay): Generator<DayRow> {
    for (const group of groups) if (matches(wanted, group.name)) yield { path: [group.name], addTo: timelineOf(group, shown) };
  };

function* servicesOf({ groups }: ResultsDay<GroupDay>, wanted: string | undefined): Generator<Readonly<{ group: string } & ServiceDay>> {
  for (const { name: group, services } of groups)
    for (const service of services) if (matches(wanted, service.service)) yield { ...service, group };
}

/** Services of endpoint groups. */
export const serviceRows = (shown: RowOptions, wanted: EndpointFilter) =>
  function* (day: ResultsDay<GroupDay>): Generator<DayRow> {
    for (const service of servicesOf(day, wanted.service))
      yield { path: [service.group, service.service], addTo: timelineOf(service, shown) };
  };

/** Endpoints of services of endpoint groups. */
export const endpointRows = (shown: RowOptions, wanted: EndpointFilter = {}) =>
  function* (day: ResultsDay<GroupDay>): Generator<DayRow> {
    for (const { group, service, endpoints } of servicesOf(day, wanted.service))
      for (const endpoint of endpoints)
        if (matches(wanted.host, endpoint.host))
          yield { path: [group, service, endpoint.host], info: endpoint.info, addTo: timelineOf(endpoint, shown) };
  };

/** Endpoints that have this `ID` among their info on the day. */
export const resourceRows = (shown: RowOptions, id: string) =>
  function* (day: ResultsDay<GroupDay>): Generator<DayRow> {
    for (const row of endpointRows(shown)(day)) if (row.info && Object.hasOwn(row.info, 'ID') && row.info.ID === id) yield row;
  };

/** Endpoint groups with their endpoints. */
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

/** Listed points of one metric, with the previous state in front where that is of another day (results contract 12.4). */
const pointsOf =
  ({ previous, points }: Listed, details: boolean, isOtherDay: boolean): DayRow['addTo'] =>
  (line, midnight) => {
    if (isOtherDay) line.lead({ timestamp: previous.timestamp, value: previous.status });
    for (const point of points) line.add(midnight + point.at, point.status, details ? detailsOf(point) : undefined);
  };

/** Metrics of endpoints. `leads`: whether the previous state always comes first; default where it is of another day. */
export const metricRows = (details: boolean, leads = false) =>
  function* ({ day, endpoints }: Readonly<{ day: string; endpoints: readonly EndpointMetrics[] }>): Generator<DayRow> {
    for (const { group, service, host, info, metrics } of endpoints)
      for (const metric of metrics) {
        const isOtherDay = leads || !metric.previous.timestamp.startsWith(day);
        yield { path: [group, service, host, metric.metric], info, addTo: pointsOf(metric, details, isOtherDay) };
      }
  };
