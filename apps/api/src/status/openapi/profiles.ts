import { answer, type Catalogue, type DescribedAnswer } from '#api/shared/openapi/described.js';
import { bounded, type Component, component, doc, type Shape } from '#api/shared/openapi/shape.js';
import { lists, refers, says } from './envelopes.js';

const ID = '3954e18b-0f5e-4e4c-9ec1-613127ab6638';
const NAME = doc('text', 'unique among all versions of other records');
const STATE = doc('text', 'one of the available states');

type Members = Readonly<Record<string, Shape>>;

/** A kind of record with a version for each day (status contract 3). */
type Kind = Readonly<{
  path: string;
  /** Name of the component. */
  name: string;
  description: string;
  members: Members;
  /** Members in which requests differ from answers. */
  written?: Members;
  example: object;
  /** What answers show instead of what was sent. */
  shown?: object;
  texts: Readonly<{ created: string; updated: string; deleted: string }>;
  /** Whether an update answers where the record is. */
  updateRefers?: boolean;
}>;

const dated = (kind: Kind): Catalogue => {
  const { path, name, members, example } = kind;
  const record = component(name, { id: 'uuid', date: doc('day', 'from which day on this version holds'), ...members }, kind.description);
  const request: Component = component(`${name}Request`, { name: NAME, ...kind.members, ...kind.written });
  const read = { answers: lists(record, { id: ID, date: '2024-01-15', ...example, ...kind.shown }) };
  const written = { request, ignores: ['id', 'date'], body: example };
  const updated: Readonly<Record<number, DescribedAnswer>> = kind.updateRefers
    ? refers(200, kind.texts.updated, path)
    : says(kind.texts.updated);
  return {
    [`get /api/v2/${path}`]: read,
    [`post /api/v2/${path}`]: { answers: refers(201, kind.texts.created, path), ...written },
    [`get /api/v2/${path}/{id}`]: read,
    [`put /api/v2/${path}/{id}`]: { answers: updated, ...written },
    [`delete /api/v2/${path}/{id}`]: { answers: says(kind.texts.deleted) },
  };
};

const OPERATIONS: Kind = {
  path: 'operations_profiles',
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
  texts: {
    created: 'Operations Profile successfully created',
    updated: 'Operations Profile successfully updated (new history snapshot)',
    deleted: 'Operations Profile Successfully Deleted',
  },
};

const METRICS: Kind = {
  path: 'metric_profiles',
  name: 'StatusMetricProfile',
  description: 'Which metrics a service type is judged by (status contract 6)',
  members: { name: NAME, description: 'text', services: [{ service: 'text', metrics: ['text'] }] },
  written: { 'description?': 'text' },
  example: { name: 'critical', description: 'what counts', services: [{ service: 'web', metrics: ['http', 'certificate'] }] },
  texts: {
    created: 'Metric Profile successfully created',
    updated: 'Metric Profile successfully updated (new history snapshot)',
    deleted: 'Metric Profile Successfully Deleted',
  },
};

const REFERENCE = '6a5da0f4-a24b-43be-96f2-b86f92297fea';

const AGGREGATION: Kind = {
  path: 'aggregation_profiles',
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
  texts: {
    created: 'Aggregation Profile successfully created',
    updated: 'Aggregations Profile successfully updated (new history snapshot)',
    deleted: 'Aggregation Profile Successfully Deleted',
  },
  updateRefers: true,
};

const THRESHOLDS: Kind = {
  path: 'thresholds_profiles',
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
  texts: {
    created: 'Thresholds Profile successfully created',
    updated: 'Thresholds Profile successfully updated',
    deleted: 'Thresholds Profile Successfully Deleted',
  },
};

const WEIGHTS: Kind = {
  path: 'weights',
  name: 'StatusWeightsProfile',
  description: 'Weights of groups (status contract 7)',
  members: {
    name: NAME,
    weight_type: doc('text', 'such as `hepspec`'),
    group_type: doc('text', 'type of the groups'),
    groups: [{ name: 'text', value: 'number' }],
  },
  example: { name: 'hepspec', weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'SITE-A', value: 1234.5 }] },
  texts: {
    created: 'Weights resource succesfully created',
    updated: 'Weights resource successfully updated (new history snapshot)',
    deleted: 'Weights resource successfully deleted',
  },
  updateRefers: true,
};

export const PROFILES: Catalogue = {
  ...dated(OPERATIONS),
  ...dated(METRICS),
  ...dated(AGGREGATION),
  ...dated(THRESHOLDS),
  ...dated(WEIGHTS),
  'get /api/v2/factors': {
    answers: {
      200: answer(
        { factors: [{ site: 'text', weight: doc('text', 'a number as text') }] },
        { factors: [{ site: 'SITE-A', weight: '1234.5' }] },
      ),
    },
  },
};
