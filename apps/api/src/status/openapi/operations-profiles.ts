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
            id: 'c1c3c1d8-9b28-465f-801b-bf4a9adebba6',
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
          id: '08124959-ce5c-4a25-aa5b-48985bf07e18',
          links: { self: 'http://127.0.0.1:36783/api/v2/operations_profiles/08124959-ce5c-4a25-aa5b-48985bf07e18' },
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
            id: 'd5264767-5588-46cc-8bdd-2b7d27393b25',
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
