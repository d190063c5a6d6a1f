import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { Day } from '#domain/shared/time.js';
import type { ItemStatus, NotifiedItem, Status, StatusAfter } from '#domain/status/notifications/status-changes.js';
import type { EndpointDay, GroupDay, MetricDay, ResultsDay, ServiceDay } from '#domain/status/results/results.js';
import { append, type StatusStep, type Timeline } from '#domain/status/results/timeline.js';
import { timeOfDay } from '#domain/status/results/windows.js';

export type TwoDays = Readonly<{ today: ResultsDay<GroupDay>; before: ResultsDay<GroupDay> | undefined }>;

/** All statuses of an item on two days, in order. Neighbours differ. */
export type ItemSteps = Readonly<{ item: NotifiedItem; steps: readonly Status[] }>;

/** An endpoint of a group, with its statuses. `digest`: changes with these and the counts of points of its metrics. */
export type EndpointSteps = ItemSteps & Readonly<{ url?: string; digest: string }>;

/** A group with all its items except metrics. */
export type GroupSteps = Readonly<{ group: ItemSteps; services: readonly ItemSteps[]; endpoints: readonly EndpointSteps[] }>;

/** `YYYY-MM-DDTHH:MM:SSZ` of a second of a day. */
const instantOf = (day: Day, second: number): string => `${day}T${timeOfDay(second)}Z`;

/** Joins the timelines of consecutive days. */
export const stepsOf = (days: readonly (readonly [day: Day, timeline: Timeline])[]): readonly Status[] => {
  const steps: Status[] = [];
  for (const [day, timeline] of days)
    for (const { at, status } of timeline) if (steps.at(-1)?.status !== status) steps.push({ status, since: instantOf(day, at) });
  return steps;
};

/** Timeline of the listed points of a metric (results contract 3). */
export const timelineOf = ({ previous, points }: MetricDay): Timeline => {
  const steps: StatusStep[] = [{ at: 0, status: previous.status }];
  for (const { at, status } of points) append(steps, at, status);
  return steps;
};

/** The status at an instant, with the previous one; `undefined` before the first one. */
export const holdingAt = (steps: readonly Status[], instant: string): StatusAfter | undefined => {
  const index = steps.findLastIndex(({ since }) => since <= instant);
  const holding = steps[index];
  if (!holding) return undefined;
  const { status, since } = steps[index - 1] ?? holding;
  return { ...holding, previous: status, previousSince: since };
};

/** The current status. @throws Error there is none */
export const lastOf = ({ item, steps }: ItemSteps): ItemStatus => {
  const last = steps.at(-1);
  if (!last) throw new Error('a timeline is empty');
  return { ...item, ...last };
};

/** Changes with the statuses of the group and its items, metrics included. */
export const digestOf = ({ group, services, endpoints }: GroupSteps): string =>
  sha256(
    JSON.stringify([
      group.steps,
      services.map(({ item: { service }, steps }) => [service, steps]),
      endpoints.map(({ item: { service, hostname }, digest }) => [service, hostname, digest]),
    ]),
  );

type Named = Readonly<{ service: string; endpoints: readonly EndpointDay[] }>;

const endpointsIn = (services: readonly Named[]): readonly (readonly [key: string, service: string, endpoint: EndpointDay])[] =>
  services.flatMap(({ service, endpoints }) => endpoints.map((one) => [JSON.stringify([service, one.host]), service, one] as const));

/** The current statuses of a group and its items, with those of the day before. */
export const groupSteps = (group: GroupDay, { today, before }: TwoDays): GroupSteps => {
  const earlier = before?.groups.find(({ name }) => name === group.name);
  const services = new Map<string, ServiceDay>(earlier?.services.map((one) => [one.service, one]));
  const endpoints = new Map((earlier ? endpointsIn(earlier.services) : []).map(([key, , one]) => [key, one]));
  const steps = (timeline: Timeline, old: Timeline | undefined): readonly Status[] =>
    stepsOf([...(before && old ? [[before.day, old] as const] : []), [today.day, timeline]]);
  const none = { service: '', hostname: '', metric: '' };
  return {
    group: { item: { level: 'group', ...none }, steps: steps(group.timeline, earlier?.timeline) },
    services: group.services.map(({ service, timeline }) => ({
      item: { level: 'service', ...none, service },
      steps: steps(timeline, services.get(service)?.timeline),
    })),
    endpoints: endpointsIn(group.services).map(([key, service, { host: hostname, timeline, info, metrics }]) => ({
      item: { level: 'endpoint', service, hostname, metric: '' },
      steps: steps(timeline, endpoints.get(key)?.timeline),
      ...(info?.URL && { url: info.URL }),
      digest: sha256(JSON.stringify([today.day, metrics, timeline, endpoints.get(key)?.metrics, endpoints.get(key)?.timeline])),
    })),
  };
};
