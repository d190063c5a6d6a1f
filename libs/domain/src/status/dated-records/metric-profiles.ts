import { datedResource } from './dated-records.js';

/** Which metrics are expected of which service (status contract 6); nothing about the contents is checked. */
export type MetricProfile = Readonly<{
  name: string;
  description: string;
  services: readonly Readonly<{ service: string; metrics: readonly string[] }>[];
}>;

export const metricProfiles = datedResource<MetricProfile>({
  kind: 'metric_profiles',
  events: { dated: 'MetricProfileSnapshotDated', deleted: 'MetricProfileDeleted' },
});
