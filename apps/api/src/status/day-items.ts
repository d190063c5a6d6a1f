import type { EndpointDay, GroupDay, GroupSummary, ResultsDay, ServiceDay } from '#domain/status/results/results.js';

/** Names in a call; an omitted one matches everything. `group`: an endpoint group. */
export type ItemNames = Readonly<{
  supergroup?: string | undefined;
  group?: string | undefined;
  service?: string | undefined;
  host?: string | undefined;
}>;

/** An item of a day with its identifying names, from the outermost inwards: group, service, host. */
export type DayItem<Item> = Readonly<{ names: readonly string[]; item: Item }>;

export const matches = (wanted: string | undefined, name: string): boolean => wanted === undefined || wanted === name;

export function* groupsOn<Group extends GroupSummary>(
  { groups, supergroups }: ResultsDay<Group>,
  { supergroup, group }: ItemNames = {},
): Generator<DayItem<Group>> {
  const listed = supergroup === undefined ? undefined : new Set(supergroups.find(({ name }) => name === supergroup)?.groups);
  for (const item of groups) if (matches(group, item.name) && (!listed || listed.has(item.name))) yield { names: [item.name], item };
}

export function* servicesOn(day: ResultsDay<GroupDay>, wanted: ItemNames = {}): Generator<DayItem<ServiceDay>> {
  for (const { item: group } of groupsOn(day, wanted))
    for (const item of group.services) if (matches(wanted.service, item.service)) yield { names: [group.name, item.service], item };
}

export function* endpointsOn(day: ResultsDay<GroupDay>, wanted: ItemNames = {}): Generator<DayItem<EndpointDay>> {
  for (const { item: group } of groupsOn(day, wanted))
    for (const { service, endpoints } of group.services) {
      if (!matches(wanted.service, service)) continue;
      for (const item of endpoints) if (matches(wanted.host, item.host)) yield { names: [group.name, service, item.host], item };
    }
}
