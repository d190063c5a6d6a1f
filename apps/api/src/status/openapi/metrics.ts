import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { listOf } from './envelopes.js';

export const METRICS_ANSWERS: Catalogue = {
  'get /api/v2/admin/metrics': {
    answers: {
      200: answer(listOf({ name: 'text', tags: ['text'] }), {
        status: { message: 'Success', code: '200' },
        data: [{ name: 'b <&>', tags: ['network'] }],
      }),
    },
  },
  'put /api/v2/admin/metrics': {
    answers: {
      200: answer(listOf({ name: 'text', tags: ['text'] }), {
        status: { message: 'Metrics resource succesfully updated', code: '200' },
        data: [{ name: 'http', tags: ['net'] }],
      }),
    },
    body: [{ name: 'http', tags: ['net'] }],
  },
  'get /api/v2/metrics': {
    answers: {
      200: answer(listOf({ name: 'text', tags: ['text'] }), {
        status: { message: 'Success', code: '200' },
        data: [{ name: 'b <&>', tags: ['network'] }],
      }),
    },
  },
  'get /api/v2/metrics/by_report/{report}': {
    answers: {
      200: answer(listOf({ name: 'text', tags: ['text'] }), {
        status: { message: 'Success', code: '200' },
        data: [{ name: 'b <&>', tags: ['network'] }],
      }),
    },
  },
};
