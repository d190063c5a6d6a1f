import { type DayItem, endpointsOn, groupsOn, type ItemNames, matches, servicesOn } from '#api/status/day-items.js';
import type { Measures } from '#domain/status/results/figures/periods.js';
import type { Figures, GroupDay, ResultsDay } from '#domain/status/results/results.js';
import type { DayRow, ItemInfo } from './items.js';

/** Groups of groups. */
export function* supergroupRows({ supergroups }: ResultsDay, { supergroup }: ItemNames): Generator<DayRow<Measures>> {
  for (const { name, availability, reliability } of supergroups)
    if (matches(supergroup, name)) yield { names: [name], value: { availability, reliability } };
}

/** Endpoint groups under each group of groups that lists them, with both names. */
export function* groupRows({ supergroups, groups }: ResultsDay, { supergroup, group }: ItemNames): Generator<DayRow<Figures>> {
  const byName = new Map(groups.map((each) => [each.name, each]));
  for (const parent of supergroups) {
    if (!matches(supergroup, parent.name)) continue;
    for (const name of parent.groups) {
      const found = matches(group, name) ? byName.get(name) : undefined;
      if (found) yield { names: [parent.name, name], value: found.figures };
    }
  }
}

function* rowsOf(items: Iterable<DayItem<Readonly<{ figures: Figures; info?: ItemInfo }>>>): Generator<DayRow<Figures>> {
  for (const { names, item } of items) yield { names, value: item.figures, info: item.info };
}

/** Endpoint groups by their own names: one that is in several groups appears once. */
export const ownGroupRows = (day: ResultsDay, names: ItemNames): Generator<DayRow<Figures>> => rowsOf(groupsOn(day, names));

/** Services, by endpoint group and service. */
export const serviceRows = (day: ResultsDay<GroupDay>, names: ItemNames): Generator<DayRow<Figures>> => rowsOf(servicesOn(day, names));

/** Endpoints, by endpoint group, service and host. */
export const endpointRows = (day: ResultsDay<GroupDay>, names: ItemNames): Generator<DayRow<Figures>> => rowsOf(endpointsOn(day, names));

/** Endpoints, by host, service and endpoint group. */
export function* flatEndpointRows(day: ResultsDay<GroupDay>, names: ItemNames): Generator<DayRow<Figures>> {
  for (const { names: inOrder, item } of endpointsOn(day, names))
    yield { names: inOrder.toReversed(), value: item.figures, info: item.info };
}
