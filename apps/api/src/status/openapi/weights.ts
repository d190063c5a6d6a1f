import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { WEIGHT } from './components.js';
import { listOf, MESSAGE, REFERENCE } from './envelopes.js';

export const WEIGHTS_ANSWERS: Catalogue = {
  'get /api/v2/weights': {
    answers: {
      200: answer(listOf(WEIGHT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: '9b1d8c8e-a2fc-4103-b80f-bb1504155c85',
            date: '2021-01-01',
            name: 'record 0',
            weight_type: 'hepspec',
            group_type: 'SITES',
            groups: [{ name: 'SITE-A', value: 1 }],
          },
        ],
      }),
    },
  },
  'post /api/v2/weights': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Weights resource succesfully created', code: '201' },
        data: {
          id: '1f22b3cc-089d-4518-a619-597c01212e5c',
          links: { self: 'http://127.0.0.1:33289/api/v2/weights/1f22b3cc-089d-4518-a619-597c01212e5c' },
        },
      }),
    },
    body: { name: 'other', weight_type: 'cores', group_type: 'SITES', groups: [{ name: 'X', value: 1 }] },
  },
  'get /api/v2/weights/{id}': {
    answers: {
      200: answer(listOf(WEIGHT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'fd14537a-1713-40b4-a106-fd7a32389fd7',
            date: '2026-11-21',
            name: 'a <b> & "c" \\ é 日本 🎉',
            weight_type: 'hepspec',
            group_type: 'SITES',
            groups: [{ name: 'SITE-A', value: 1 }],
          },
        ],
      }),
    },
  },
  'put /api/v2/weights/{id}': {
    answers: {
      200: answer(REFERENCE, {
        status: { message: 'Weights resource successfully updated (new history snapshot)', code: '200' },
        data: {
          id: '325a74a8-776f-4d60-8707-1b143b0088c6',
          links: { self: 'http://127.0.0.1:33289/api/v2/weights/325a74a8-776f-4d60-8707-1b143b0088c6' },
        },
      }),
    },
    body: { name: 'old', weight_type: 'HEPSPEC', group_type: 'SITES', groups: [{ name: 'C', value: -0.25 }] },
  },
  'delete /api/v2/weights/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Weights resource successfully deleted', code: '200' } }) },
  },
};
