import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { either } from '#api/shared/openapi/shape.js';
import { DURATION_OF_TREND, FLAPPING_ITEM, METRIC_OF_TREND } from './components.js';
import { listOf } from './envelopes.js';

export const TRENDS_ANSWERS: Catalogue = {
  'get /api/v2/trends/{report}/flapping/metrics': {
    answers: {
      200: answer(listOf(FLAPPING_ITEM), {
        status: { message: 'Success', code: '200' },
        data: [{ endpoint_group: 'SITE-B', service: 'db', endpoint: 'h2', metric: 'query', flapping: 4 }],
      }),
    },
  },
  'get /api/v2/trends/{report}/flapping/metrics/tags': {
    answers: {
      200: answer(
        listOf({
          '*': either('text', [{ endpoint_group: 'text', service: 'text', endpoint: 'text', metric: 'text', flapping: 'integer' }]),
        }),
        {
          status: { message: 'Success', code: '200' },
          data: [
            {
              date: '2015-04',
              tag: 'core',
              top: [{ endpoint_group: 'SITE-A', service: 'web', endpoint: 'h1', metric: 'http', flapping: 1 }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/trends/{report}/flapping/endpoints': {
    answers: {
      200: answer(listOf(FLAPPING_ITEM), {
        status: { message: 'Success', code: '200' },
        data: [{ endpoint_group: 'SITE-B', service: 'db', endpoint: 'h2', flapping: 4 }],
      }),
    },
  },
  'get /api/v2/trends/{report}/flapping/services': {
    answers: {
      200: answer(listOf({ endpoint_group: 'text', service: 'text', flapping: 'integer' }), {
        status: { message: 'Success', code: '200' },
        data: [{ endpoint_group: 'SITE-A', service: 'web', flapping: 1 }],
      }),
    },
  },
  'get /api/v2/trends/{report}/flapping/groups': {
    answers: {
      200: answer(
        listOf({
          'endpoint_group?': 'text',
          'flapping?': 'integer',
          'date?': 'text',
          'top?': [{ endpoint_group: 'text', flapping: 'integer' }],
        }),
        { status: { message: 'Success', code: '200' }, data: [{ date: '2015-04', top: [{ endpoint_group: 'SITE-A', flapping: 1 }] }] },
      ),
    },
  },
  'get /api/v2/trends/{report}/status/metrics': {
    answers: {
      200: answer(listOf({ status: 'text', top: [METRIC_OF_TREND] }), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            status: 'CRITICAL',
            top: [{ endpoint_group: 'SITE-B', service: 'db', endpoint: 'h2', metric: 'query', status: 'CRITICAL', events: 2 }],
          },
        ],
      }),
    },
  },
  'get /api/v2/trends/{report}/status/metrics/tags': {
    answers: {
      200: answer(
        listOf({
          '*': either('text', [
            { endpoint_group: 'text', service: 'text', endpoint: 'text', metric: 'text', status: 'text', events: 'integer' },
          ]),
        }),
        {
          status: { message: 'Success', code: '200' },
          data: [
            {
              date: '2015-05',
              status: 'CRITICAL',
              tag: 'core',
              top: [{ endpoint_group: 'SITE-B', service: 'db', endpoint: 'h2', metric: 'query', status: 'CRITICAL', events: 2 }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/trends/{report}/status/endpoints': {
    answers: {
      200: answer(listOf({ status: 'text', top: [DURATION_OF_TREND] }), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            status: 'CRITICAL',
            top: [{ endpoint_group: 'SITE-B', service: 'db', endpoint: 'h2', status: 'CRITICAL', duration_in_minutes: 1615 }],
          },
        ],
      }),
    },
  },
  'get /api/v2/trends/{report}/status/services': {
    answers: {
      200: answer(listOf({ status: 'text', top: [DURATION_OF_TREND] }), {
        status: { message: 'Success', code: '200' },
        data: [{ status: 'CRITICAL', top: [{ endpoint_group: 'SITE-B', service: 'db', status: 'CRITICAL', duration_in_minutes: 1615 }] }],
      }),
    },
  },
  'get /api/v2/trends/{report}/status/groups': {
    answers: {
      200: answer(
        listOf({ date: 'text', status: 'text', top: [{ endpoint_group: 'text', status: 'text', duration_in_minutes: 'integer' }] }),
        {
          status: { message: 'Success', code: '200' },
          data: [
            { date: '2015-05', status: 'CRITICAL', top: [{ endpoint_group: 'SITE-B', status: 'CRITICAL', duration_in_minutes: 1615 }] },
          ],
        },
      ),
    },
  },
};
