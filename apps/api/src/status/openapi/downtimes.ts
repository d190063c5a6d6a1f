import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { DOWNTIME } from './components.js';
import { listOf, MESSAGE } from './envelopes.js';

export const DOWNTIMES_ANSWERS: Catalogue = {
  'get /api/v2/downtimes': {
    answers: {
      200: answer(listOf({ date: 'day', endpoints: [DOWNTIME] }), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            date: '2020-01-01',
            endpoints: [
              {
                hostname: 'a',
                service: 'web',
                start_time: '2020-01-01T10:00:00Z',
                end_time: 'whenever',
                description: 'd <&>',
                classification: 'scheduled',
                severity: 'outage',
              },
            ],
          },
        ],
      }),
    },
  },
  'post /api/v2/downtimes': {
    answers: { 201: answer(MESSAGE, { status: { message: 'Downtimes set created for date: 2016-02-29', code: '201' } }) },
    body: { endpoints: [{ hostname: 'V3', service: 'one', start_time: '2016-02-29T10:00:00Z', end_time: '2016-02-29T12:00:00Z' }] },
  },
  'delete /api/v2/downtimes': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Downtimes set deleted for date: 2020-01-01', code: '200' } }) },
  },
};
