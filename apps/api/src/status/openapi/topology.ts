import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { either } from '#api/shared/openapi/shape.js';
import { SERVICE_TYPE, TOPOLOGY_ENDPOINT, TOPOLOGY_GROUP, TOPOLOGY_GROUP_OF_TENANT } from './components.js';
import { listOf, one } from './envelopes.js';

export const TOPOLOGY_ANSWERS: Catalogue = {
  'get /api/v2/topology/endpoints': {
    answers: {
      200: answer(listOf(TOPOLOGY_ENDPOINT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            date: '2026-11-21',
            group: 'g',
            type: 't',
            service: 's',
            hostname: 'h',
            notifications: { contacts: ['a@b'], enabled: true },
            tags: { b: 'x <&>', a: '', __proto__: 'p' },
          },
        ],
      }),
    },
  },
  'post /api/v2/topology/endpoints': {
    answers: {
      201: answer({ message: 'text', code: 'text' }, { message: 'Topology of 100000 endpoints created for date: 2026-11-21', code: '201' }),
    },
    body: [
      { group: 'SITE-A', type: 'SITES', service: 'CE', hostname: 'h1', tags: { info_ID: '7', info_URL: 'u', info_none: '', other: 'x' } },
    ],
  },
  'delete /api/v2/topology/endpoints': {
    answers: {
      200: answer({ message: 'text', code: 'text' }, { message: 'Topology of 3000 endpoints deleted for date: 2026-11-21', code: '200' }),
    },
  },
  'get /api/v2/topology/groups': {
    answers: {
      200: answer(listOf(TOPOLOGY_GROUP), {
        status: { message: 'Success', code: '200' },
        data: [{ date: '2026-11-21', group: 'NGI-A', type: 'PROJECT', subgroup: 'S1', tags: { k: 'v' } }],
      }),
    },
  },
  'post /api/v2/topology/groups': {
    answers: {
      201: answer({ message: 'text', code: 'text' }, { message: 'Topology of 1000 groups created for date: 2026-11-21', code: '201' }),
    },
    body: [{ group: 'ROC', type: 'NGI', subgroup: 'SITE-A', tags: {} }],
  },
  'delete /api/v2/topology/groups': {
    answers: {
      200: answer({ message: 'text', code: 'text' }, { message: 'Topology of 1 groups deleted for date: 2020-05-20', code: '200' }),
    },
  },
  'get /api/v2/topology/service-types': {
    answers: {
      200: answer(listOf(SERVICE_TYPE), {
        status: { message: 'Success', code: '200' },
        data: [{ date: '2026-11-21', name: 'n', title: 't', description: 'd', tags: ['x'] }],
      }),
    },
  },
  'post /api/v2/topology/service-types': {
    answers: {
      201: answer({ message: 'text', code: 'text' }, { message: 'Topology of 2 service types created for date: 2020-05-10', code: '201' }),
    },
    body: [{ name: 'a', title: 'T a', description: 'd' }],
  },
  'delete /api/v2/topology/service-types': {
    answers: {
      200: answer({ message: 'text', code: 'text' }, { message: 'Topology of 1 service types deleted for date: 2020-05-20', code: '200' }),
    },
  },
  'get /api/v2/topology/tags': {
    answers: {
      200: answer(listOf({ '*': either('text', [{ name: 'text', values: ['text'] }]) }), {
        status: { message: 'Success', code: '200' },
        data: [{ name: 'endpoints', values: [{ name: 'a', values: [''] }] }],
      }),
    },
  },
  'get /api/v2/topology/endpoints/by_report/{report}': {
    answers: {
      200: answer(listOf(TOPOLOGY_ENDPOINT), {
        status: { message: 'Success', code: '200' },
        data: [{ date: '2020-03-01', group: 'S1', type: 'SITES', service: 'web', hostname: 'h1a', tags: { production: '1' } }],
      }),
    },
  },
  'get /api/v2/topology/groups/by_report/{report}': {
    answers: {
      200: answer(listOf(TOPOLOGY_GROUP), {
        status: { message: 'Success', code: '200' },
        data: [{ date: '2020-03-01', group: 'NGI-A', type: 'PROJECT', subgroup: 'S1', tags: { scope: 'EGI', infra: 'one, two' } }],
      }),
    },
  },
  'get /api/v2/topology/stats/{report}': {
    answers: {
      200: answer(one(TOPOLOGY_GROUP_OF_TENANT), {
        status: { message: 'Success', code: '200' },
        data: {
          group_count: 2,
          group_type: 'NGI',
          group_list: ['NGI-1'],
          endpoint_group_count: 2,
          endpoint_group_type: 'SITES',
          endpoint_group_list: ['SITE-A'],
          service_count: 2,
          service_list: ['db'],
        },
      }),
    },
  },
};
