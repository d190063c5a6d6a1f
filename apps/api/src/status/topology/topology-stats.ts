import { typesOf } from '#api/status/results/result-levels.js';
import type { Static } from '#domain/shared/shape.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { Day } from '#domain/shared/time.js';
import type { ReportReader } from '#projections/status/results/report-reader.js';
import type { STATISTICS } from './openapi.js';

/** Names and their numbers, under the wire names. */
type Names = Readonly<{ groups: readonly string[]; endpointGroups: readonly string[]; services: readonly string[] }>;

const NONE: Names = { groups: [], endpointGroups: [], services: [] };

/** Names with results on the day. */
const namesOn = async (reader: ReportReader, day: Day): Promise<Names> => {
  if (!reader.computations.ar) return NONE;
  for await (const { supergroups, groups } of reader.details({ from: day, to: day })) {
    const services = new Set(groups.flatMap((group) => group.services.map(({ service }) => service)));
    return {
      groups: supergroups.map(({ name }) => name),
      endpointGroups: groups.map(({ name }) => name),
      services: [...services].sort(byBytes),
    };
  }
  return NONE;
};

/** The data of results contract 13: the numbers of groups and services of a report with results on a day. */
export const topologyStats = async (reader: ReportReader, day: Day): Promise<Static<typeof STATISTICS>> => {
  const { groups, endpointGroups, services } = await namesOn(reader, day);
  const { outer, inner } = typesOf(reader);
  return {
    group_count: groups.length,
    group_type: outer || 'group',
    group_list: groups,
    endpoint_group_count: endpointGroups.length,
    endpoint_group_type: inner || 'endpoint_group',
    endpoint_group_list: endpointGroups,
    service_count: services.length,
    service_list: services,
  };
};
