import { list, number, struct, text, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { thresholdsProfiles } from '#domain/status/dated-records/thresholds-profiles.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { datedController } from './dated.controller.js';
import { referencedName } from './dated-reader.js';

// Bodies list members in the order of the wire.

export const OperationsProfilesController = datedController({
  resource: operationsProfiles,
  routes: 'operationsProfiles',
  shape: struct({
    id: text,
    date: text,
    name: text,
    available_states: list(text),
    defaults: struct({ down: text, missing: text, unknown: text }),
    operations: list(struct({ name: text, truth_table: list(struct({ a: text, b: text, x: text })) })),
  }),
  texts: {
    created: 'Operations Profile successfully created',
    updated: 'Operations Profile successfully updated',
    deleted: 'Operations Profile Successfully Deleted',
    nameTaken: 'Operations profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
});

export const MetricProfilesController = datedController({
  resource: metricProfiles,
  routes: 'metricProfiles',
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
});

const grouped = struct({ name: text, operation: text });

export const AggregationProfilesController = datedController({
  resource: aggregationProfiles,
  routes: 'aggregationProfiles',
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
    missing: 'Referenced metric profile ID is not found',
    resolve: async (record, tenantId, day, view) => {
      const { id } = record.metric_profile;
      const name = await referencedName(view, metricProfiles, tenantId, id, day);
      return name === undefined ? undefined : { ...record, metric_profile: { name, id } };
    },
  },
  updateRefers: true,
  existenceFirst: false,
});

export const ThresholdsProfilesController = datedController({
  resource: thresholdsProfiles,
  routes: 'thresholdsProfiles',
  shape: struct({
    id: text,
    date: text,
    name: text,
    rules: list(withoutEmpty(struct({ endpoint_group: text, host: text, metric: text, thresholds: text }), 'endpoint_group', 'host')),
  }),
  texts: {
    created: 'Thresholds Profile successfully created',
    updated: 'Thresholds Profile successfully updated',
    added: 'Thresholds Profile successfully updated',
    deleted: 'Thresholds Profile Successfully Deleted',
    nameTaken: 'Threshold Profile with the same name already exists', // sic
    nameTakenOnUpdate: 'Thresholds profile with the same name already exists',
  },
  updateRefers: false,
  existenceFirst: false,
});

export const WeightsController = datedController({
  resource: weights,
  routes: 'weights',
  shape: struct({
    id: text,
    date: text,
    name: text,
    weight_type: text,
    group_type: text,
    groups: list(struct({ name: text, value: number })),
  }),
  texts: {
    created: 'Weights resource succesfully created', // sic
    updated: 'Weights resource successfully updated',
    deleted: 'Weights resource successfully deleted',
    nameTaken: 'Weights resource with the same name already exists',
  },
  updateRefers: true,
  existenceFirst: true,
});
