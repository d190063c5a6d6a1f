import type { Measures } from '#domain/status/results/figures/periods.js';
import type { Figures, GroupDay, GroupSummary, ResultsDay } from '#domain/status/results/results.js';
import type { DayRow } from './items.js';

/** Names that a call gives; what it leaves out matches everything. `group`: an endpoint group. */
export type Names = Readonly<{
  supergroup?: string | undefined;
  group?: string | undefined;
  service?: string | undefined;
  host?: string | undefined;
}>;

const matches = (wanted: string | undefined, name: string): boolean => wanted === undefined || wanted === name;

/** Groups of groups. */
export function* supergroupRows({ supergroups }: ResultsDay, { supergroup }: Names): Generator<DayRow<Measures>> {
  for (const { name, availability, reliability } of supergroups)
    if (matches(supergroup, name)) yield { names: [name], value: { availability, reliability } };
}

/** Endpoint groups under each group of groups that lists them: by both names. */
export function* groupRows({ supergroups, groups }: ResultsDay, { supergroup, group }: Names): Generator<DayRow<Figures>> {
  const byName = new Map(groups.map((each) => [each.name, each]));
  for (const parent of supergroups) {
    if (!matches(supergroup, parent.name)) continue;
    for (const name of parent.groups) {
      const found = matches(group, name) ? byName.get(name) : undefined;
      if (found) yield { names: [parent.name, name], value: found.figures };
    }
  }
}

/** Endpoint groups of a day that a call is about. */
const groupsIn = <Group extends GroupSummary>(
  { supergroups, groups }: ResultsDay<Group>,
  { supergroup, group }: Names,
): readonly Group[] => {
  const listed = supergroup === undefined ? undefined : new Set(supergroups.find(({ name }) => name === supergroup)?.groups);
  return groups.filter(({ name }) => matches(group, name) && (!listed || listed.has(name)));
};

/** Services: by endpoint group and service. */
export function* serviceRows(day: ResultsDay<GroupDay>, names: Names): Generator<DayRow<Figures>> {
  for (const { name, services } of groupsIn(day, names))
    for (const { service, figures } of services) if (matches(names.service, service)) yield { names: [name, service], value: figures };
}

type EndpointNames = (group: string, service: string, host: string) => readonly string[];

function* endpointsOf(day: ResultsDay<GroupDay>, names: Names, namesOf: EndpointNames): Generator<DayRow<Figures>> {
  for (const { name, services } of groupsIn(day, names))
    for (const { service, endpoints } of services) {
      if (!matches(names.service, service)) continue;
      for (const { host, info, figures } of endpoints)
        if (matches(names.host, host)) yield { names: namesOf(name, service, host), value: figures, info };
    }
}

/** Endpoints: by endpoint group, service and host. */
export const endpointRows = (day: ResultsDay<GroupDay>, names: Names): Generator<DayRow<Figures>> =>
  endpointsOf(day, names, (group, service, host) => [group, service, host]);

/** The same by host, service and endpoint group. */
export const flatEndpointRows = (day: ResultsDay<GroupDay>, names: Names): Generator<DayRow<Figures>> =>
  endpointsOf(day, names, (group, service, host) => [host, service, group]);
