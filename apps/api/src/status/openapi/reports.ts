import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { REPORT } from './components.js';
import { listOf, MESSAGE, REFERENCE } from './envelopes.js';

export const REPORTS_ANSWERS: Catalogue = {
  'get /api/v2/reports': {
    answers: {
      200: answer(listOf(REPORT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'edb3b00b-4930-4826-b0d1-8816c11d944f',
            tenant: 'journey',
            disabled: false,
            info: { name: 'first', description: 'd', created: '2026-11-21 07:55:59', updated: '2026-11-21 07:55:59' },
            computations: { ar: true, status: true, trends: ['flapping'] },
            thresholds: { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 },
            topology_schema: { group: { type: 'PROJECT', group: { type: 'SITES' } } },
            profiles: [{ id: '3954e18b-0f5e-4e4c-9ec1-613127ab6638', name: 'p <1>', type: 'metric' }],
            filter_tags: [{ name: 'n', value: 'v', context: '' }],
          },
        ],
      }),
    },
  },
  'post /api/v2/reports': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Successfully Created Report', code: '201' },
        data: {
          id: '82b78489-f56a-48b1-83c3-9d7d7b0fe2a5',
          links: { self: 'http://127.0.0.1:36783/api/v2/reports/82b78489-f56a-48b1-83c3-9d7d7b0fe2a5' },
        },
      }),
    },
    body: {
      info: { name: 'Critical' },
      topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
      profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', type: 'metric' }],
      filter_tags: [],
    },
  },
  'get /api/v2/reports/{id}': {
    answers: {
      200: answer(listOf(REPORT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'edb3b00b-4930-4826-b0d1-8816c11d944f',
            tenant: 'journey',
            disabled: false,
            info: { name: 'first', description: 'd', created: '2026-11-21 07:55:59', updated: '2026-11-21 07:55:59' },
            computations: { ar: true, status: true, trends: ['flapping'] },
            thresholds: { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 },
            topology_schema: { group: { type: 'PROJECT', group: { type: 'SITES' } } },
            profiles: [{ id: '3954e18b-0f5e-4e4c-9ec1-613127ab6638', name: 'p <1>', type: 'metric' }],
            filter_tags: [{ name: 'n', value: 'v', context: '' }],
          },
        ],
      }),
    },
  },
  'put /api/v2/reports/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Report was successfully updated', code: '200' } }) },
    body: { info: { name: 'ordered' }, topology_schema: { group: { type: 'PROJECT', group: { type: 'SITES' } } } },
  },
  'delete /api/v2/reports/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Report was successfully deleted', code: '200' } }) },
  },
};
