import { bounded, type Component, component, doc, type Shape } from '#api/shared/openapi/shape.js';

const ID = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';
const NAME = doc('text', 'unique among all versions of other records');
const STATE = doc('text', 'one of the available states');

type Members = Readonly<Record<string, Shape>>;

/** A kind of record with a version for each day (status contract 3). */
type Kind = Readonly<{
  /** Name of the component. */
  name: string;
  description: string;
  members: Members;
  /** Members in which requests differ from answers. */
  written?: Members;
  example: object;
  /** What answers show instead of what was sent. */
  shown?: object;
}>;

/** What OpenAPI says of the calls of a kind. */
export type DatedDocs = Readonly<{ record: Component; request: Component; example: object; shown: object }>;

const dated = ({ name, description, members, written, example, shown }: Kind): DatedDocs => ({
  record: component(name, { id: 'uuid', date: doc('day', 'from which day on this version holds'), ...members }, description),
  request: component(`${name}Request`, { name: NAME, ...members, ...written }),
  example,
  shown: { id: ID, date: '2024-01-15', ...example, ...shown },
});

export const OPERATIONS = dated({
  name: 'StatusOperationsProfile',
  description: 'How statuses are combined (status contract 4)',
  members: {
    name: NAME,
    available_states: bounded(['text'], { maxItems: 1000 }),
    defaults: {
      down: doc(STATE, 'of endpoints in a downtime'),
      missing: doc(STATE, 'where there is no metric data'),
      unknown: doc(STATE, 'where it is not known'),
    },
    operations: [
      { name: doc('text', 'such as `AND`, `OR`'), truth_table: [{ a: STATE, b: STATE, x: doc(STATE, 'what `a` and `b` make') }] },
    ],
  },
  example: {
    name: 'ops',
    available_states: ['OK', 'DOWN'],
    defaults: { down: 'DOWN', missing: 'DOWN', unknown: 'DOWN' },
    operations: [{ name: 'AND', truth_table: [{ a: 'OK', b: 'DOWN', x: 'DOWN' }] }],
  },
});

export const METRICS = dated({
  name: 'StatusMetricProfile',
  description: 'Which metrics a service type is judged by (status contract 6)',
  members: { name: NAME, description: 'text', services: [{ service: 'text', metrics: ['text'] }] },
  written: { 'description?': 'text' },
  example: { name: 'critical', description: 'what counts', services: [{ service: 'web', metrics: ['http', 'certificate'] }] },
});

const REFERENCE = '6a5da0f4-a24b-43be-96f2-b86f92297fea';

export const AGGREGATION = dated({
  name: 'StatusAggregationProfile',
  description: 'How services make up groups (status contract 5)',
  members: {
    name: NAME,
    namespace: 'text',
    endpoint_group: doc('text', 'type of the endpoint groups'),
    metric_operation: doc('text', 'operation that combines the metrics of an endpoint'),
    profile_operation: doc('text', 'operation that combines the groups of services'),
    metric_profile: { name: doc('text', 'that of the metric profile, whatever was sent'), id: 'text' },
    groups: [
      {
        name: 'text',
        operation: doc('text', 'operation that combines the services'),
        services: [{ name: 'text', operation: doc('text', 'operation that combines the endpoints') }],
      },
    ],
  },
  written: {
    'namespace?': 'text',
    metric_profile: { id: doc('text', 'id of a metric profile of the tenant'), 'name?': 'text' },
  },
  example: {
    name: 'sites',
    namespace: '',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { id: REFERENCE },
    groups: [{ name: 'compute', operation: 'OR', services: [{ name: 'CE', operation: 'OR' }] }],
  },
  shown: { metric_profile: { name: 'critical', id: REFERENCE } },
});

export const THRESHOLDS = dated({
  name: 'StatusThresholdsProfile',
  description: 'Ranges of performance data that make a metric WARNING or CRITICAL (extended contract 2)',
  members: {
    name: NAME,
    rules: [
      {
        'endpoint_group?': doc('text', 'only endpoints of this group'),
        'host?': doc('text', 'only this host'),
        metric: 'text',
        thresholds: doc('text', 'label=value[unit];warning range;critical range;min;max, one or more'),
      },
    ],
  },
  example: { name: 'response times', rules: [{ host: 'web.example.org', metric: 'http', thresholds: 'time=1s;0:0.5;0.5:1;0;10' }] },
});

export const WEIGHTS = dated({
  name: 'StatusWeightsProfile',
  description: 'Weights of groups (status contract 7)',
  members: {
    name: NAME,
    weight_type: doc('text', 'such as `hepspec`'),
    group_type: doc('text', 'type of the groups'),
    groups: [{ name: 'text', value: 'number' }],
  },
  example: { name: 'hepspec', weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'SITE-A', value: 1234.5 }] },
});
