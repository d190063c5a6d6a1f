import { datedResource } from './dated-records.js';

/** Grouping of services and combination of their states (status contract 5). `metric_profile.name`: name of that profile at the time of writing. */
export type AggregationProfile = Readonly<{
  name: string;
  namespace: string;
  endpoint_group: string;
  metric_operation: string;
  profile_operation: string;
  metric_profile: Readonly<{ name: string; id: string }>;
  groups: readonly Readonly<{ name: string; operation: string; services: readonly Readonly<{ name: string; operation: string }>[] }>[];
}>;

export const aggregationProfiles = datedResource<AggregationProfile>({
  kind: 'aggregation_profiles',
  events: { dated: 'AggregationProfileSnapshotDated', deleted: 'AggregationProfileDeleted' },
  checks: { create: ['reference', 'name'], revise: ['name', 'reference'] },
});
