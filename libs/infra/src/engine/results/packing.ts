import { NumberedNames } from '#domain/shared/numbered-names.js';
import type { Figures, GroupDay, GroupSummary, MetricCounts, ResultsDay } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';

/*
 * /* Stored form of a day's results. A day of a large tenant has a million steps, most of which are not read: timelines are texts, parsed
 * on first use.
 */

type Row = Readonly<{ timeline: Timeline; flagged: boolean; figures: Figures }>;
type PackedRow = readonly [
  timeline: string,
  flagged: 0 | 1,
  availability: number,
  reliability: number,
  unknown: number,
  uptime: number,
  downtime: number,
];
type PackedMetric = readonly [metric: string, flapping: number, events: Readonly<Record<string, number>>];
type PackedEndpoint = readonly [host: string, row: PackedRow, metrics: readonly PackedMetric[], info?: Readonly<Record<string, string>>];
type PackedService = readonly [service: string, row: PackedRow, endpoints: readonly PackedEndpoint[]];

/** `statuses`: names to which timelines refer by index. */
type PackedSummary = Readonly<{
  statuses: readonly string[];
  day: string;
  seconds: number;
  groups: readonly (readonly [name: string, row: PackedRow])[];
  /** Groups by their index in `groups`. */
  supergroups: readonly (readonly [name: string, groups: readonly number[], availability: number, reliability: number])[];
}>;

type PackedGroup = Readonly<{ statuses: readonly string[]; name: string; row: PackedRow; services: readonly PackedService[] }>;

const RADIX = 36;

/** `<seconds since the previous step>.<number of the status>,…` */
const packTimeline = (timeline: Timeline, statuses: NumberedNames): string => {
  let before = 0;
  let text = '';
  for (const { at, status } of timeline) {
    text += `${text === '' ? '' : ','}${(at - before).toString(RADIX)}.${statuses.of(status).toString(RADIX)}`;
    before = at;
  }
  return text;
};

const unpackTimeline = (text: string, statuses: readonly string[]): Timeline => {
  if (text === '') return [];
  let at = 0;
  return text.split(',').map((step) => {
    const dot = step.indexOf('.');
    at += Number.parseInt(step.slice(0, dot), RADIX);
    return { at, status: statuses[Number.parseInt(step.slice(dot + 1), RADIX)] as string };
  });
};

const packRow = ({ timeline, flagged, figures }: Row, statuses: NumberedNames): PackedRow => {
  const { availability, reliability, unknown, uptime, downtime } = figures;
  return [packTimeline(timeline, statuses), flagged ? 1 : 0, availability, reliability, unknown, uptime, downtime];
};

/** Adds the members of a row; the timeline is parsed on first use. */
const unpackRow = (row: PackedRow, statuses: readonly string[]): Row => {
  const [packed, flagged, availability, reliability, unknown, uptime, downtime] = row;
  let timeline: Timeline | undefined;
  return {
    get timeline() {
      timeline ??= unpackTimeline(packed, statuses);
      return timeline;
    },
    flagged: flagged === 1,
    figures: { availability, reliability, unknown, uptime, downtime },
  };
};

/** Adds members to a row without reading its timeline, as a spread would. */
const withMembers = <Members extends object>(row: Row, members: Members): Row & Members => Object.assign(row, members);

/** JSON of groups without their services, and of groups of groups. */
export const packSummary = ({ day, seconds, groups, supergroups }: ResultsDay): string => {
  const statuses = new NumberedNames();
  const places = new Map(groups.map(({ name }, place) => [name, place]));
  const packed = {
    day,
    seconds,
    groups: groups.map((group) => [group.name, packRow(group, statuses)] as const),
    supergroups: supergroups.map(
      (one) => [one.name, one.groups.map((name) => places.get(name) ?? -1), one.availability, one.reliability] as const,
    ),
  };
  return JSON.stringify({ statuses: statuses.all, ...packed } satisfies PackedSummary);
};

export const unpackSummary = (text: string): ResultsDay<GroupSummary> => {
  const { statuses, day, seconds, groups, supergroups } = JSON.parse(text) as PackedSummary;
  return {
    day,
    seconds,
    groups: groups.map(([name, row]) => withMembers(unpackRow(row, statuses), { name })),
    supergroups: supergroups.map(([name, places, availability, reliability]) => ({
      name,
      groups: places.flatMap((place) => groups[place]?.[0] ?? []),
      availability,
      reliability,
    })),
  };
};

const packMetric = ({ metric, flapping, events }: MetricCounts): PackedMetric => [metric, flapping, events];

/** JSON of a group with its services, endpoints and counts of metrics. */
export const packGroup = (group: GroupDay): string => {
  const statuses = new NumberedNames();
  const row = packRow(group, statuses);
  const services = group.services.map(
    (service): PackedService => [
      service.service,
      packRow(service, statuses),
      service.endpoints.map((endpoint): PackedEndpoint => {
        const metrics = endpoint.metrics.map(packMetric);
        const packed = [endpoint.host, packRow(endpoint, statuses), metrics] as const;
        return endpoint.info ? [...packed, endpoint.info] : packed;
      }),
    ],
  );
  return JSON.stringify({ statuses: statuses.all, name: group.name, row, services } satisfies PackedGroup);
};

export const unpackGroup = (text: string): GroupDay => {
  const { statuses, name, row, services } = JSON.parse(text) as PackedGroup;
  return withMembers(unpackRow(row, statuses), {
    name,
    services: services.map(([service, serviceRow, endpoints]) =>
      withMembers(unpackRow(serviceRow, statuses), {
        service,
        endpoints: endpoints.map(([host, endpointRow, metrics, info]) =>
          withMembers(unpackRow(endpointRow, statuses), {
            host,
            ...(info && { info }),
            metrics: metrics.map(([metric, flapping, events]) => ({ metric, flapping, events })),
          }),
        ),
      }),
    ),
  });
};
