import { exactNumber } from '#domain/shared/json/exact-number.js';
import type { InstallationDocument, ProjectDocument, ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import type { OwnDefinitionDocument } from '#projections/accounting/definitions/queries.js';
import type { MetricDocument } from '#projections/accounting/metrics/queries.js';
import type { Fields } from './search.js';
import { OPAQUE, type Scalar, SearchInstant } from './search-values.js';

/** Members that can be searched as they are. */
type StoredMember<T> = { [Name in keyof T]: T[Name] extends Scalar ? Name : never }[keyof T] & string;

/** Searchable fields, by their names in accounting contract 5.3. @param same fields with the name of their member */
const fields = <T>(same: readonly StoredMember<T>[], others: Readonly<Record<string, (record: T) => Scalar>> = {}): Fields<T> =>
  new Map([...same.map((name) => [name, (record: T) => record[name] as Scalar] as const), ...Object.entries(others)]);

/** The unit of access is an id in a form that equals no text. */
export const installationFields = fields<InstallationDocument>(
  ['project', 'organisation', 'infrastructure', 'installation', 'resource', 'external_id'],
  {
    _id: ({ id }) => id,
    creatorId: ({ creator_id }) => creator_id,
    unit_of_access: ({ unit_of_access }) => (unit_of_access === null ? null : OPAQUE),
  },
);

export const providerFields = fields<ProviderDocument>(['name', 'website', 'abbreviation', 'logo'], { _id: ({ id }) => id });

export const definitionFields = fields<OwnDefinitionDocument>(['metric_name', 'metric_description', 'unit_type', 'metric_type'], {
  _id: () => OPAQUE,
  creatorId: ({ creator_id }) => creator_id,
});

/** The contract names no fields, so these are the members of the record. */
export const projectFields = fields<ProjectDocument>(['id', 'acronym', 'title', 'start_date', 'end_date', 'call_identifier'], {
  _id: ({ id }) => id,
});

export const metricFields = fields<MetricDocument>(['installation', 'infrastructure', 'resource', 'creatorId'], {
  _id: () => OPAQUE,
  resource_id: ({ projectId, providerId, installationId }) => `${projectId}.${providerId}.${installationId}`,
  metric_definition_id: ({ definitionId }) => definitionId,
  time_period_start: ({ periodStart }) => new SearchInstant(periodStart),
  time_period_end: ({ periodEnd }) => new SearchInstant(periodEnd),
  value: ({ value }) => exactNumber(value),
  project: ({ projectAcronym }) => projectAcronym,
  provider: ({ providerId }) => providerId,
  project_id: ({ projectId }) => projectId,
  installation_id: ({ installationId }) => installationId,
  user_id: ({ userId }) => userId,
  group_id: ({ groupId }) => groupId,
});
