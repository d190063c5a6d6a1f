import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { FEED, FEED_FEED } from './components.js';
import { listOf } from './envelopes.js';

export const FEEDS_ANSWERS: Catalogue = {
  'get /api/v2/feeds/topology': {
    answers: {
      200: answer(listOf(FEED), {
        status: { message: 'Success', code: '200' },
        data: [{ type: 'gocdb', feed_url: 'https://f.example/<a>&b', paginated: 'true', fetch_type: ['item1'], uid_endpoints: 'e' }],
      }),
    },
  },
  'put /api/v2/feeds/topology': {
    answers: {
      200: answer(listOf(FEED), {
        status: { message: 'Feeds resource succesfully updated', code: '200' },
        data: [{ type: 'gocdb', feed_url: 'https://f.example/<a>&b', paginated: 'true', fetch_type: ['item1'], uid_endpoints: 'e' }],
      }),
    },
    body: { uid_endpoints: 'e', fetch_type: ['item1'], paginated: 'true', feed_url: 'https://f.example/<a>&b', type: 'gocdb', id: 5 },
  },
  'get /api/v2/feeds/weights': {
    answers: {
      200: answer(listOf(FEED_FEED), {
        status: { message: 'Success', code: '200' },
        data: [{ type: 'vapor', feed_url: 'https://w.example', weight_type: 'hepspec', group_type: 'SITES' }],
      }),
    },
  },
  'put /api/v2/feeds/weights': {
    answers: {
      200: answer(listOf(FEED_FEED), {
        status: { message: 'Feeds resource succesfully updated', code: '200' },
        data: [{ type: 'vapor', feed_url: 'https://w.example', weight_type: 'hepspec', group_type: 'SITES' }],
      }),
    },
    body: { group_type: 'SITES', weight_type: 'hepspec', feed_url: 'https://w.example', type: 'vapor', id: 5 },
  },
  'get /api/v2/feeds/data': {
    answers: {
      200: answer(listOf({ tenants: ['text'] }), {
        status: { message: 'Success', code: '200' },
        data: [{ tenants: ['tenant-12 renamed'] }],
      }),
    },
  },
  'put /api/v2/feeds/data': {
    answers: {
      200: answer(listOf({ tenants: ['text'] }), {
        status: { message: 'Feeds resource succesfully updated', code: '200' },
        data: [{ tenants: ['tenant-12'] }],
      }),
    },
    body: { tenants: ['tenant-2'] },
  },
};
