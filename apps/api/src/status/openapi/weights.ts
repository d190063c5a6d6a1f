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
            id: '1b482f85-9bc3-43de-a335-43aea19fb4e6',
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
          id: 'd5310178-d131-4330-859d-9ea88167e314',
          links: { self: 'http://127.0.0.1:39719/api/v2/weights/d5310178-d131-4330-859d-9ea88167e314' },
        },
      }),
    },
    body: { name: 'w', weight_type: 'n', group_type: 'SITES', groups: [{ name: 'SITE-A', value: 3 }] },
  },
  'get /api/v2/weights/{id}': {
    answers: {
      200: answer(listOf(WEIGHT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'f903f338-eb55-4931-8184-1ee03495c777',
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
          id: 'f903f338-eb55-4931-8184-1ee03495c777',
          links: { self: 'http://127.0.0.1:32811/api/v2/weights/f903f338-eb55-4931-8184-1ee03495c777' },
        },
      }),
    },
    body: { name: 'renamed', weight_type: 'hepspec', group_type: 'SITES', groups: [{ name: 'SITE-A', value: 1 }] },
  },
  'delete /api/v2/weights/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Weights resource successfully deleted', code: '200' } }) },
  },
};
