import { type AggregationProfile, aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import type { DatedResource, NamedRecord } from '#domain/status/dated-records/dated-records.js';
import { type MetricProfile, metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { type OperationsProfile, operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { type ThresholdsProfile, thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { type Weights, weights } from '#domain/status/dated-records/weights.js';
import { allTextsIn, type Fields, fieldsListIn, numberIn, partIn, textsIn } from '#operator/migrate/read/fields.js';
import { filledIn } from './documents/members.js';

/** A record with all members, `undefined` where the original has none: the compiler asks for a new member, also if it is optional. */
type Complete<R> = Readonly<{ [Member in keyof Required<R>]: R[Member] }>;

/** A kind of dated record, and the reader of its snapshots. `kind` is also the name of the original's collection. */
export type DatedKind<R extends NamedRecord = NamedRecord> = Readonly<{
  resource: DatedResource<R>;
  /** @throws WrongField */
  record(fields: Fields): R;
}>;

export const metricProfile = (fields: Fields): Complete<MetricProfile> => ({
  ...allTextsIn(fields, 'name', 'description'),
  services: fieldsListIn(fields, 'services').map((one) => ({ ...allTextsIn(one, 'service'), metrics: textsIn(one, 'metrics') })),
});

export const operationsProfile = (fields: Fields): Complete<OperationsProfile> => ({
  ...allTextsIn(fields, 'name'),
  available_states: textsIn(fields, 'available_states'),
  defaults: allTextsIn(partIn(fields, 'defaults'), 'down', 'missing', 'unknown'),
  operations: fieldsListIn(fields, 'operations').map((one) => ({
    ...allTextsIn(one, 'name'),
    truth_table: fieldsListIn(one, 'truth_table').map((row) => allTextsIn(row, 'a', 'b', 'x')),
  })),
});

/** The name of the metric profile is kept as written, as in the original: it may be an old one. */
export const aggregationProfile = (fields: Fields): Complete<AggregationProfile> => ({
  ...allTextsIn(fields, 'name', 'namespace', 'endpoint_group', 'metric_operation', 'profile_operation'),
  metric_profile: allTextsIn(partIn(fields, 'metric_profile'), 'name', 'id'),
  groups: fieldsListIn(fields, 'groups').map((group) => ({
    ...allTextsIn(group, 'name', 'operation'),
    services: fieldsListIn(group, 'services').map((service) => allTextsIn(service, 'name', 'operation')),
  })),
});

export const thresholdsProfile = (fields: Fields): Complete<ThresholdsProfile> => ({
  ...allTextsIn(fields, 'name'),
  rules: fieldsListIn(fields, 'rules').map((rule) => ({
    ...filledIn(rule, 'endpoint_group', 'host'),
    ...allTextsIn(rule, 'metric', 'thresholds'),
  })),
});

export const weightsRecord = (fields: Fields): Complete<Weights> => ({
  ...allTextsIn(fields, 'name', 'weight_type', 'group_type'),
  groups: fieldsListIn(fields, 'groups').map((group) => ({ ...allTextsIn(group, 'name'), value: numberIn(group, 'value', 0) })),
});

const kindOf = <R extends NamedRecord>(resource: DatedResource<R>, record: (fields: Fields) => R): DatedKind => ({ resource, record });

/** Referenced kinds come before the kinds that refer to them. */
export const datedKinds: readonly DatedKind[] = [
  kindOf(metricProfiles, metricProfile),
  kindOf(operationsProfiles, operationsProfile),
  kindOf(aggregationProfiles, aggregationProfile),
  kindOf(thresholdsProfiles, thresholdsProfile),
  kindOf(weights, weightsRecord),
];
