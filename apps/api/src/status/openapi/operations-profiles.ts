import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { OPERATIONS_PROFILE } from './components.js';
import { listOf, MESSAGE, REFERENCE } from './envelopes.js';

export const OPERATIONSPROFILES_ANSWERS: Catalogue = {
  'get /api/v2/operations_profiles': {
    answers: {
      200: answer(listOf(OPERATIONS_PROFILE), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: '4e43e21b-17b4-4348-b5c4-c4041d472252',
            date: '2021-01-01',
            name: 'record 0',
            available_states: ['OK'],
            defaults: { down: 'CRITICAL', missing: 'UNKNOWN', unknown: 'UNKNOWN' },
            operations: [],
          },
        ],
      }),
    },
  },
  'post /api/v2/operations_profiles': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Operations Profile successfully created', code: '201' },
        data: {
          id: '38454bdc-3459-49cd-ad3d-c922347cce2a',
          links: { self: 'http://127.0.0.1:35461/api/v2/operations_profiles/38454bdc-3459-49cd-ad3d-c922347cce2a' },
        },
      }),
    },
    body: {
      name: 'known',
      available_states: ['OK'],
      defaults: { down: 'CRITICAL', missing: 'UNKNOWN', unknown: 'UNKNOWN' },
      operations: [{ name: 'AND', truth_table: [{ a: 'OK', b: 'CRITICAL', x: 'CRITICAL' }] }],
    },
  },
  'get /api/v2/operations_profiles/{id}': {
    answers: {
      200: answer(listOf(OPERATIONS_PROFILE), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'fc2bba74-42bf-4efa-9132-3fa7bc905089',
            date: '2021-03-01',
            name: 'busy 59',
            available_states: ['OK'],
            defaults: { down: 'CRITICAL', missing: 'UNKNOWN', unknown: 'UNKNOWN' },
            operations: [],
          },
        ],
      }),
    },
  },
  'put /api/v2/operations_profiles/{id}': {
    answers: {
      200: answer(MESSAGE, { status: { message: 'Operations Profile successfully updated (new history snapshot)', code: '200' } }),
    },
    body: {
      name: 'renamed',
      available_states: ['OK'],
      defaults: { down: 'CRITICAL', missing: 'UNKNOWN', unknown: 'UNKNOWN' },
      operations: [],
    },
  },
  'delete /api/v2/operations_profiles/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Operations Profile Successfully Deleted', code: '200' } }) },
  },
};
