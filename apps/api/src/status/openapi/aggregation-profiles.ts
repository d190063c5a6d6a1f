import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { component } from '#api/shared/openapi/shape.js';
import { listOf, MESSAGE, REFERENCE } from './envelopes.js';

const AGGREGATION_PROFILE = component('StatusAggregationProfile', {
  id: 'text',
  date: 'day',
  name: 'text',
  namespace: 'text',
  endpoint_group: 'text',
  metric_operation: 'text',
  profile_operation: 'text',
  metric_profile: { name: 'text', id: 'text' },
  groups: [{ name: 'text', operation: 'text', services: [{ name: 'text', operation: 'text' }] }],
});

const ID = '990d866d-d4b1-45fa-b88c-7a660a2ece95';

const SENT = {
  name: 'aggregation',
  namespace: '',
  endpoint_group: 'sites',
  metric_operation: 'AND',
  profile_operation: 'AND',
  metric_profile: { id: '6a5da0f4-a24b-43be-96f2-b86f92297fea' },
  groups: [{ name: 'compute', operation: 'OR', services: [{ name: 'CE', operation: 'OR' }] }],
};

const LIST = {
  status: { message: 'Success', code: '200' },
  data: [{ id: ID, date: '2024-01-15', ...SENT, metric_profile: { name: 'critical', ...SENT.metric_profile } }],
};

const said = (message: string) => answer(MESSAGE, { status: { message, code: '200' } });

export const AGGREGATIONPROFILES_ANSWERS: Catalogue = {
  'get /api/v2/aggregation_profiles': { answers: { 200: answer(listOf(AGGREGATION_PROFILE), LIST) } },
  'post /api/v2/aggregation_profiles': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Aggregation Profile successfully created', code: '201' },
        data: { id: ID, links: { self: `https://logbook.example.org/api/v2/aggregation_profiles/${ID}` } },
      }),
    },
    body: SENT,
  },
  'get /api/v2/aggregation_profiles/{id}': { answers: { 200: answer(listOf(AGGREGATION_PROFILE), LIST) } },
  'put /api/v2/aggregation_profiles/{id}': {
    answers: { 200: said('Aggregations Profile successfully updated (new history snapshot)') },
    body: SENT,
  },
  'delete /api/v2/aggregation_profiles/{id}': { answers: { 200: said('Aggregation Profile Successfully Deleted') } },
};
