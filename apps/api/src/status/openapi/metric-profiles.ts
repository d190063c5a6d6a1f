import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { METRIC_PROFILE } from './components.js';
import { listOf, MESSAGE, REFERENCE } from './envelopes.js';

const LIST = {
  status: { message: 'Success', code: '200' },
  data: [
    {
      id: '1fe29bee-f4e6-4c9d-8333-aa8be7d9377c',
      date: '2024-01-02',
      name: 'critical',
      description: 'what users notice',
      services: [{ service: 'CE', metrics: ['ping'] }],
    },
  ],
};

export const METRICPROFILES_ANSWERS: Catalogue = {
  'get /api/v2/metric_profiles': {
    answers: {
      200: answer(listOf(METRIC_PROFILE), LIST),
    },
  },
  'post /api/v2/metric_profiles': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Metric Profile successfully created', code: '201' },
        data: {
          id: '6a5da0f4-a24b-43be-96f2-b86f92297fea',
          links: { self: 'http://127.0.0.1:36783/api/v2/metric_profiles/6a5da0f4-a24b-43be-96f2-b86f92297fea' },
        },
      }),
    },
    body: { name: 'metrics', services: [{ service: 'CE', metrics: ['ping'] }] },
  },
  'get /api/v2/metric_profiles/{id}': { answers: { 200: answer(listOf(METRIC_PROFILE), LIST) } },
  'put /api/v2/metric_profiles/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Metric Profile successfully updated (new history snapshot)', code: '200' } }) },
    body: { name: 'critical', services: [{ service: 'CE', metrics: ['ping', 'login'] }] },
  },
  'delete /api/v2/metric_profiles/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Metric Profile Successfully Deleted', code: '200' } }) },
  },
};
