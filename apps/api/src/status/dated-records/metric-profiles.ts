import { due, list, struct, text } from '#api/shared/bodies/body-shape.js';
import { type MetricProfile, metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { datedCommands } from './commands.js';
import { type DatedKind, datedBody, HEAD } from './dated-kind.js';

/** Body members in the order of the wire. */
export const metricProfilesKind: DatedKind<MetricProfile> = {
  resource: metricProfiles,
  path: 'api/v2/metric_profiles',
  tag: 'status: metric profiles',
  names: { one: 'MetricProfile', many: 'MetricProfiles', words: 'metric profiles' },
  commands: datedCommands(metricProfiles),
  description: 'Which metrics a service type is judged by (status contract 6)',
  body: datedBody(
    struct({
      ...HEAD,
      description: text,
      services: due(list(struct({ service: due(text), metrics: due(list(text)) }))),
    }),
  ),
  example: { name: 'critical', description: 'what counts', services: [{ service: 'web', metrics: ['http', 'certificate'] }] },
  texts: {
    created: 'Metric Profile successfully created',
    updated: 'Metric Profile successfully updated',
    deleted: 'Metric Profile Successfully Deleted',
    nameTaken: 'Metric profile with the same name already exists',
  },
};
