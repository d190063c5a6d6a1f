import { list, struct, text } from '#api/shared/bodies/body-shape.js';
import { METRICS } from '#api/status/openapi/profiles.js';
import { type MetricProfile, metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { CreateDatedRecord, DateSnapshot, DeleteDatedRecord } from './commands.js';
import type { DatedKind } from './dated-controller.js';

export class CreateMetricProfile extends CreateDatedRecord<MetricProfile> {}
export class DateMetricProfileSnapshot extends DateSnapshot<MetricProfile> {}
export class DeleteMetricProfile extends DeleteDatedRecord<MetricProfile> {}

/** Body members in the order of the wire. */
export const metricProfilesKind: DatedKind<MetricProfile> = {
  resource: metricProfiles,
  path: 'api/v2/metric_profiles',
  named: { one: 'MetricProfile', all: 'MetricProfiles', words: 'metric profiles' },
  docs: METRICS,
  commands: { create: CreateMetricProfile, date: DateMetricProfileSnapshot, delete: DeleteMetricProfile },
  shape: struct({
    id: text,
    date: text,
    name: text,
    description: text,
    services: list(struct({ service: text, metrics: list(text) })),
  }),
  texts: {
    created: 'Metric Profile successfully created',
    updated: 'Metric Profile successfully updated',
    deleted: 'Metric Profile Successfully Deleted',
    nameTaken: 'Metric profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
};
