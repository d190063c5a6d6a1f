import { datedResource } from './dated-records.js';

/** The expected metrics of each service (status contract 6). The contents are not validated. */
export type MetricProfile = Readonly<{
  name: string;
  description: string;
  services: readonly Readonly<{ service: string; metrics: readonly string[] }>[];
}>;

export const metricProfiles = datedResource<MetricProfile>({
  kind: 'metric_profiles',
  events: { dated: 'MetricProfileSnapshotDated', deleted: 'MetricProfileDeleted' },
});
