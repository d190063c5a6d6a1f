import type { Report } from '#domain/status/reports/reports.js';
import { Conditions, type TopologyFilter } from './topology-filter.js';

/** The parts of a report that select its topology (status contract 12.1, status extended contract 3.4). */
type ReportTopology = Readonly<{ /** Types of the topology schema, from the outermost group inwards. */ types: readonly string[] }> &
  Pick<Report, 'filter_tags'>;

/** Filters of a report on a tenant's topology (status extended contract 3.4). */
export type ReportFilters = Readonly<{ groups: TopologyFilter; endpoints: TopologyFilter }>;

const FIELDS = { group: ['group', 'type', 'subgroup'], endpoint: ['group', 'type', 'service', 'hostname'] } as const;

/** The filter from the tags with context `argo.<kind>.filter.…`. `type`: the required type if the tags have no condition on it. */
const filterOf = (kind: keyof typeof FIELDS, { filter_tags }: ReportTopology, type: string | undefined): TopologyFilter => {
  const fieldNames: readonly string[] = FIELDS[kind];
  const [fields, tags] = [new Conditions(), new Conditions()];
  for (const { name, value, context } of filter_tags) {
    if (context === `argo.${kind}.filter.fields` && fieldNames.includes(name) && value !== '') fields.add(name, [value]);
    else if (context === `argo.${kind}.filter.tags`) tags.add(name, [value]);
    else if (context === `argo.${kind}.filter.tags.array`) tags.add(name, elementsOf(value));
  }
  const conditions = fields.all();
  if (!type || conditions.has('type')) return { fields: conditions, tags: tags.all() };
  return { fields: new Map([...conditions, ['type', (value) => value === type]]), tags: tags.all() };
};

/** Converts each element of a comma-separated list to a pattern of values that contain it. */
const elementsOf = (commaList: string): readonly string[] =>
  commaList
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '')
    .map((element) => `*${element}*`);

/** Groups have the first type of the schema and endpoints the second, unless the tags of the report have conditions on types. */
export const reportFilters = (report: ReportTopology): ReportFilters => {
  const [groupType, endpointType] = report.types;
  return { groups: filterOf('group', report, groupType), endpoints: filterOf('endpoint', report, endpointType) };
};
