import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { component } from '#api/shared/openapi/shape.js';
import { listOf, MESSAGE, REFERENCE } from './envelopes.js';

const THRESHOLDS_PROFILE = component('StatusThresholdsProfile', {
  id: 'text',
  date: 'day',
  name: 'text',
  rules: [{ 'endpoint_group?': 'text', 'host?': 'text', metric: 'text', thresholds: 'text' }],
});

const ID = '990d866d-d4b1-45fa-b88c-7a660a2ece95';

const SENT = {
  name: 'thresholds',
  rules: [{ host: 'web.example.org', metric: 'org.example.http', thresholds: 'freshness=1s;10;9:;0;25' }],
};

const LIST = {
  status: { message: 'Success', code: '200' },
  data: [{ id: ID, date: '2024-01-15', ...SENT }],
};

const said = (message: string) => answer(MESSAGE, { status: { message, code: '200' } });

export const THRESHOLDSPROFILES_ANSWERS: Catalogue = {
  'get /api/v2/thresholds_profiles': { answers: { 200: answer(listOf(THRESHOLDS_PROFILE), LIST) } },
  'post /api/v2/thresholds_profiles': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Thresholds Profile successfully created', code: '201' },
        data: { id: ID, links: { self: `https://logbook.example.org/api/v2/thresholds_profiles/${ID}` } },
      }),
    },
    body: SENT,
  },
  'get /api/v2/thresholds_profiles/{id}': { answers: { 200: answer(listOf(THRESHOLDS_PROFILE), LIST) } },
  'put /api/v2/thresholds_profiles/{id}': {
    answers: { 200: said('Thresholds Profile successfully updated (new history snapshot)') },
    body: SENT,
  },
  'delete /api/v2/thresholds_profiles/{id}': { answers: { 200: said('Thresholds Profile Successfully Deleted') } },
};
