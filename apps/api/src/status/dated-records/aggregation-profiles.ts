import { due, list, struct, text } from '#api/shared/bodies/body-shape.js';
import { dueText } from '#api/status/bodies.js';
import { doc } from '#domain/shared/shape.js';
import { type AggregationProfile, aggregationProfiles } from '#domain/status/dated-records/aggregation-profiles.js';
import { metricProfiles } from '#domain/status/dated-records/metric-profiles.js';
import { datedCommands } from './commands.js';
import { type DatedKind, datedBody, HEAD } from './dated-kind.js';

/** Used in examples. */
const METRIC_PROFILE = '6a5da0f4-a24b-43be-96f2-b86f92297fea';

/** Body members in the order of the wire. */
export const aggregationProfilesKind: DatedKind<AggregationProfile> = {
  resource: aggregationProfiles,
  path: 'api/v2/aggregation_profiles',
  tag: 'status: aggregation profiles',
  names: { one: 'AggregationProfile', many: 'AggregationProfiles', words: 'aggregation profiles' },
  commands: datedCommands(aggregationProfiles),
  description: 'How services make up groups (status contract 5)',
  body: datedBody(
    struct({
      ...HEAD,
      namespace: text,
      endpoint_group: dueText('type of the endpoint groups'),
      metric_operation: dueText('operation that combines the metrics of an endpoint'),
      profile_operation: dueText('operation that combines the groups of services'),
      metric_profile: due(struct({ name: text, id: text }), { id: doc('text', 'id of a metric profile of the tenant'), 'name?': 'text' }),
      groups: due(
        list(
          struct({
            name: due(text),
            operation: dueText('operation that combines the services'),
            services: due(list(struct({ name: due(text), operation: dueText('operation that combines the endpoints') }))),
          }),
        ),
      ),
    }),
  ),
  answered: { metric_profile: { name: doc('text', 'that of the metric profile, whatever was sent'), id: 'text' } },
  example: {
    name: 'sites',
    namespace: '',
    endpoint_group: 'SITES',
    metric_operation: 'AND',
    profile_operation: 'AND',
    metric_profile: { id: METRIC_PROFILE },
    groups: [{ name: 'compute', operation: 'OR', services: [{ name: 'CE', operation: 'OR' }] }],
  },
  exampleAnswered: { metric_profile: { name: 'critical', id: METRIC_PROFILE } },
  texts: {
    created: 'Aggregation Profile successfully created',
    updated: 'Aggregations Profile successfully updated', // sic
    deleted: 'Aggregation Profile Successfully Deleted',
    nameTaken: 'Aggregation profile with the same name already exists',
  },
  createdOnBodyDate: true,
  reference: {
    to: metricProfiles,
    idIn: ({ metric_profile }) => metric_profile.id,
    named: (record, name) => ({ ...record, metric_profile: { name, id: record.metric_profile.id } }),
    missing: 'Referenced metric profile ID is not found',
  },
  updateRefers: true,
};
