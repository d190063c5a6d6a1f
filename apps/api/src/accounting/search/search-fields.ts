import { exactNumber } from '#domain/shared/exact-number.js';
import type { InstallationDocument, ProjectDocument, ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import type { OwnDefinitionDocument } from '#projections/accounting/definitions/queries.js';
import type { MetricDocument } from '#projections/accounting/metrics/queries.js';
import type { Fields } from './search.js';
import { Moment, OPAQUE, type Stored } from './search-values.js';

/** Searchable fields, by their names in accounting contract 5.3. */
const fields = <T>(members: Readonly<Record<string, (record: T) => Stored>>): Fields<T> => new Map(Object.entries(members));

/** The unit of access is an id in a form that equals no text. */
export const installationFields: Fields<InstallationDocument> = fields({
  _id: ({ id }) => id,
  project: ({ project }) => project,
  organisation: ({ organisation }) => organisation,
  infrastructure: ({ infrastructure }) => infrastructure,
  installation: ({ installation }) => installation,
  resource: ({ resource }) => resource,
  external_id: ({ external_id }) => external_id,
  creatorId: ({ creator_id }) => creator_id,
  unit_of_access: ({ unit_of_access }) => (unit_of_access === null ? null : OPAQUE),
});

export const providerFields: Fields<ProviderDocument> = fields({
  _id: ({ id }) => id,
  name: ({ name }) => name,
  website: ({ website }) => website,
  abbreviation: ({ abbreviation }) => abbreviation,
  logo: ({ logo }) => logo,
});

export const definitionFields: Fields<OwnDefinitionDocument> = fields({
  _id: () => OPAQUE,
  metric_name: ({ metric_name }) => metric_name,
  metric_description: ({ metric_description }) => metric_description,
  unit_type: ({ unit_type }) => unit_type,
  metric_type: ({ metric_type }) => metric_type,
  creatorId: ({ creator_id }) => creator_id,
});

/** The contract names no fields, so these are the members of the record. */
export const projectFields: Fields<ProjectDocument> = fields({
  _id: ({ id }) => id,
  id: ({ id }) => id,
  acronym: ({ acronym }) => acronym,
  title: ({ title }) => title,
  start_date: ({ start_date }) => start_date,
  end_date: ({ end_date }) => end_date,
  call_identifier: ({ call_identifier }) => call_identifier,
});

export const metricFields: Fields<MetricDocument> = fields({
  _id: () => OPAQUE,
  resource_id: ({ projectId, providerId, installationId }) => `${projectId}.${providerId}.${installationId}`,
  metric_definition_id: ({ definitionId }) => definitionId,
  time_period_start: ({ periodStart }) => new Moment(periodStart),
  time_period_end: ({ periodEnd }) => new Moment(periodEnd),
  value: ({ value }) => exactNumber(value),
  project: ({ projectAcronym }) => projectAcronym,
  provider: ({ providerId }) => providerId,
  installation: ({ installation }) => installation,
  infrastructure: ({ infrastructure }) => infrastructure,
  project_id: ({ projectId }) => projectId,
  installation_id: ({ installationId }) => installationId,
  resource: ({ resource }) => resource,
  user_id: ({ userId }) => userId,
  group_id: ({ groupId }) => groupId,
  creatorId: ({ creatorId }) => creatorId,
});
