import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { CAPACITY } from './components.js';
import { MESSAGE } from './envelopes.js';

export const CAPACITIES_ANSWERS: Catalogue = {
  'get /accounting-system/installations/external/capacities': {
    answers: {
      200: answer(
        [CAPACITY],
        [
          {
            id: '6b01511ab345fbdd0e000003',
            installation_id: '6b01511ab345fbdd0e000002',
            metric_definition_id: '6b015119b345fbdd0e000001',
            value: 10,
            registered_on: '2021-01-01T00:00:00Z',
          },
        ],
      ),
    },
  },
  'post /accounting-system/installations/external/capacities': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Capacity has been successfully registered.' }) },
    body: { metric_definition_id: '6b015119b345fbdd0e000001', registered_on: '2021-03-01', value: 2 },
  },
  'patch /accounting-system/installations/external/capacities/{capacity_id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Capacity was updated successfully.' }) },
    body: { value: 12 },
  },
  'get /accounting-system/installations/{installation_id}/capacities': {
    answers: {
      200: answer(
        [CAPACITY],
        [
          {
            id: '6b015307cf6aa453e2000003',
            installation_id: '6b015306cf6aa453e2000002',
            metric_definition_id: '6b015306cf6aa453e2000001',
            value: 120,
            registered_on: '2031-03-21T00:00:00Z',
          },
        ],
      ),
    },
  },
  'post /accounting-system/installations/{installation_id}/capacities': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Capacity has been successfully registered.' }) },
    body: { metric_definition_id: '6b0151b7dae334354e000002', value: 5 },
  },
  'patch /accounting-system/installations/{installation_id}/capacities/{capacity_id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Capacity was updated successfully.' }) },
    body: { value: 10 },
  },
};
