import { list, struct, text } from '#api/shared/bodies/body-shape.js';
import { AGGREGATION } from '#api/status/openapi/profiles.js';
import { type AggregationProfile, aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { CreateDatedRecord, DateSnapshot, DeleteDatedRecord } from './commands.js';
import type { DatedKind } from './dated-controller.js';

export class CreateAggregationProfile extends CreateDatedRecord<AggregationProfile> {}
export class DateAggregationProfileSnapshot extends DateSnapshot<AggregationProfile> {}
export class DeleteAggregationProfile extends DeleteDatedRecord<AggregationProfile> {}

const grouped = struct({ name: text, operation: text });

/** Body members in the order of the wire. */
export const aggregationProfilesKind: DatedKind<AggregationProfile> = {
  resource: aggregationProfiles,
  path: 'api/v2/aggregation_profiles',
  named: { one: 'AggregationProfile', all: 'AggregationProfiles', words: 'aggregation profiles' },
  docs: AGGREGATION,
  commands: { create: CreateAggregationProfile, date: DateAggregationProfileSnapshot, delete: DeleteAggregationProfile },
  shape: struct({
    id: text,
    date: text,
    name: text,
    namespace: text,
    endpoint_group: text,
    metric_operation: text,
    profile_operation: text,
    metric_profile: struct({ name: text, id: text }),
    groups: list(struct({ name: text, operation: text, services: list(grouped) })),
  }),
  texts: {
    created: 'Aggregation Profile successfully created',
    updated: 'Aggregations Profile successfully updated', // sic
    deleted: 'Aggregation Profile Successfully Deleted',
    nameTaken: 'Aggregation profile with the same name already exists',
  },
  createdOnBodyDate: true,
  reference: {
    to: metricProfiles,
    idIn: ({ metric_profile }) => metric_profile.id,
    named: (record, name) => ({ ...record, metric_profile: { name, id: record.metric_profile.id } }),
    missing: 'Referenced metric profile ID is not found',
  },
  updateRefers: true,
  existenceFirst: false,
};
