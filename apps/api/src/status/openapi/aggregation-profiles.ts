import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { listOf, REFERENCE } from './envelopes.js';

export const AGGREGATIONPROFILES_ANSWERS: Catalogue = {
  'get /api/v2/aggregation_profiles': {
    answers: { 200: answer(listOf('any'), { status: { message: 'Success', code: '200' }, data: [] }) },
  },
  'post /api/v2/aggregation_profiles': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Aggregation Profile successfully created', code: '201' },
        data: {
          id: '990d866d-d4b1-45fa-b88c-7a660a2ece95',
          links: { self: 'http://127.0.0.1:36783/api/v2/aggregation_profiles/990d866d-d4b1-45fa-b88c-7a660a2ece95' },
        },
      }),
    },
    body: {
      name: 'aggregation',
      namespace: '',
      endpoint_group: 'sites',
      metric_operation: 'AND',
      profile_operation: 'AND',
      metric_profile: { id: '6a5da0f4-a24b-43be-96f2-b86f92297fea' },
      groups: [{ name: 'compute', operation: 'OR', services: [{ name: 'CE', operation: 'OR' }] }],
    },
  },
};
