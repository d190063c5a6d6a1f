import { due, list, struct, text } from '#api/shared/bodies/body-shape.js';
import { type MetricProfile, metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { CreateDatedRecord, DateSnapshot, DeleteDatedRecord } from './commands.js';
import { type DatedKind, HEAD } from './dated-kind.js';

export class CreateMetricProfile extends CreateDatedRecord<MetricProfile> {}
export class DateMetricProfileSnapshot extends DateSnapshot<MetricProfile> {}
export class DeleteMetricProfile extends DeleteDatedRecord<MetricProfile> {}

/** Body members in the order of the wire. */
export const metricProfilesKind: DatedKind<MetricProfile> = {
  resource: metricProfiles,
  path: 'api/v2/metric_profiles',
  tag: 'status: metric_profiles',
  names: { one: 'MetricProfile', many: 'MetricProfiles', words: 'metric profiles' },
  commands: { create: CreateMetricProfile, date: DateMetricProfileSnapshot, delete: DeleteMetricProfile },
  description: 'Which metrics a service type is judged by (status contract 6)',
  shape: struct({
    ...HEAD,
    description: text,
    services: due(list(struct({ service: due(text), metrics: due(list(text)) }))),
  }),
  example: { name: 'critical', description: 'what counts', services: [{ service: 'web', metrics: ['http', 'certificate'] }] },
  texts: {
    created: 'Metric Profile successfully created',
    updated: 'Metric Profile successfully updated',
    deleted: 'Metric Profile Successfully Deleted',
    nameTaken: 'Metric profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
};
