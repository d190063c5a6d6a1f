import { datedResource } from './dated-records.js';

/** Relative weights of groups (status contract 7). `value` has no unit and no limits. The types are free text. */
export type Weights = Readonly<{
  name: string;
  weight_type: string;
  group_type: string;
  groups: readonly Readonly<{ name: string; value: number }>[];
}>;

export const weights = datedResource<Weights>({
  kind: 'weights',
  events: { dated: 'WeightsSnapshotDated', deleted: 'WeightsDeleted' },
});
