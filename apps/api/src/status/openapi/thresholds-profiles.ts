import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { listOf, REFERENCE } from './envelopes.js';

export const THRESHOLDSPROFILES_ANSWERS: Catalogue = {
  'get /api/v2/thresholds_profiles': {
    answers: { 200: answer(listOf('any'), { status: { message: 'Success', code: '200' }, data: [] }) },
  },
  'post /api/v2/thresholds_profiles': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Thresholds Profile successfully created', code: '201' },
        data: {
          id: 'c00c40c5-43cb-4635-9121-ab42f5c137a4',
          links: { self: 'http://127.0.0.1:36783/api/v2/thresholds_profiles/c00c40c5-43cb-4635-9121-ab42f5c137a4' },
        },
      }),
    },
    body: { name: 'thresholds', rules: [{ metric: 'load', thresholds: 'load=0%;50:90;90:100' }] },
  },
};
