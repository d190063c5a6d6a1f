import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { METRIC_SOURCE, NOTIFICATION_SETTINGS, TENANT, TENANT_STATE, USER } from './components.js';
import { listOf, MESSAGE, one, REFERENCE } from './envelopes.js';

export const TENANTS_ANSWERS: Catalogue = {
  'get /api/v2/admin/tenants': {
    answers: {
      200: answer(listOf(TENANT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'ae1740fb-0b71-41cf-9cf3-788d023520a1',
            info: {
              name: 'seen',
              email: 'seen@example.org',
              description: 'd <&>',
              image: 'i',
              website: 'w',
              created: '2026-11-21 08:05:12',
              updated: '2026-11-21 08:05:12',
            },
            topology: { type: '', feed: '' },
            users: [{ id: '1bd02aa5-b16f-4a16-ac12-4a97351dc3d4', name: 'ui', email: 'e', api_key: 'seen-ui', roles: ['viewer'] }],
          },
        ],
      }),
    },
  },
  'post /api/v2/admin/tenants': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Tenant was successfully created', code: '201' },
        data: {
          id: 'df5962c1-caab-428b-b134-3671c94e9ddf',
          links: { self: 'https://public.example.org/base/api/v2/admin/tenants/df5962c1-caab-428b-b134-3671c94e9ddf' },
        },
      }),
    },
    body: {
      info: { name: 'profiles' },
      users: [{ name: 'admin', email: 'admin@example.org', api_key: 'profiles-admin', roles: ['admin'] }],
    },
  },
  'options /api/v2/admin/tenants': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/admin/users:byID/{id}': {
    answers: {
      200: answer(
        {
          'status?': { message: 'text', code: 'text' },
          'data?': [USER],
          'id?': 'text',
          'name?': 'text',
          'email?': 'text',
          'api_key?': 'text',
          'roles?': ['text'],
        },
        {
          status: { message: 'User was successfully retrieved', code: '200' },
          data: [{ id: 'c5edefa0-06d1-4530-82e2-4fbf265772a0', name: 'ui', email: 'ui@x', api_key: 'seen-ui', roles: ['viewer'] }],
        },
      ),
    },
  },
  'get /api/v2/admin/tenants/{id}': {
    answers: {
      200: answer(listOf(TENANT), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: 'c0da51f6-44e2-4ca6-bdb0-91e8e4ec812f',
            info: {
              name: 'put 2',
              email: 'e',
              description: 'd',
              image: 'i',
              website: 'w',
              created: '2026-11-21 08:06:03',
              updated: '2026-11-21 08:06:04',
            },
            db_conf: [{ store: 'ar', server: 's', port: 1, database: 'd', username: 'u', password: 'p' }],
            topology: { type: 't', feed: 'f' },
            users: [{ id: '483b3aed-e6d6-4a24-a19b-ea3e866c82cd', name: 'dan', email: '', api_key: 'put-dan', roles: ['viewer'] }],
          },
        ],
      }),
    },
  },
  'put /api/v2/admin/tenants/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Tenant successfully updated', code: '200' } }) },
    body: { info: { name: 'life 2' }, users: [{ name: 'cyd', email: 'cyd@x', api_key: 'life-cyd', roles: ['admin'] }] },
  },
  'delete /api/v2/admin/tenants/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Tenant Successfully Deleted', code: '200' } }) },
  },
  'options /api/v2/admin/tenants/{id}': {
    answers: { 200: { type: 'text/plain' } },
  },
  'options /api/v2/admin/tenants/{id}/users': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/admin/tenants/{id}/users': {
    answers: {
      200: answer(listOf(USER), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: '262b2829-1fa4-4338-9cd2-68743e219c46',
            name: 'new',
            email: 'new@x',
            api_key: 'cb419838fdb949140f60916cd9b56460cfdbf8682d0fd644e22f9363a685b471',
            roles: ['viewer'],
          },
        ],
      }),
    },
  },
  'post /api/v2/admin/tenants/{id}/users': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'User was successfully created', code: '201' },
        data: {
          id: '262b2829-1fa4-4338-9cd2-68743e219c46',
          links: {
            self: 'http://127.0.0.1:45819/api/v2/admin/tenants/a0fceca4-82e4-418a-b003-4567e8aedd36/users/262b2829-1fa4-4338-9cd2-68743e219c46',
          },
        },
      }),
    },
    body: { id: '6ac7d684-1f8e-4a02-a502-720e8f11e50b', name: 'new', email: 'new@x', api_key: 'hosting-chosen', roles: ['viewer'] },
  },
  'get /api/v2/admin/tenants/{id}/status': {
    answers: {
      200: answer(listOf({ id: 'text', 'info?': { '*': 'text' }, status: TENANT_STATE }), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: '54f2fd5e-bb1a-492b-947d-23a25fffbfa2',
            info: {
              name: 'reported 2',
              email: '',
              description: '',
              image: '',
              website: '',
              created: '2026-11-21 08:10:13',
              updated: '2026-11-21 08:10:14',
            },
            status: {
              total_status: true,
              ams: {
                metric_data: { ingestion: true, publishing: true, status_streaming: true, messages_arrived: 5 },
                sync_data: { ingestion: true, publishing: true, status_streaming: true, messages_arrived: 5 },
              },
              hdfs: {
                metric_data: true,
                sync_data: {
                  Critical: {
                    downtimes: true,
                    group_endpoints: true,
                    blank_recompuation: true,
                    group_groups: true,
                    weights: true,
                    operations_profile: true,
                    metric_profile: true,
                    aggregation_profile: true,
                  },
                  Other: { aggregation_profile: true, blank_recomputation: true, configuration_profile: true },
                },
              },
              engine_config: true,
              last_check: '2018-08-10T12:32:45Z',
            },
          },
        ],
      }),
    },
  },
  'put /api/v2/admin/tenants/{id}/status': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Tenant successfully updated', code: '200' } }) },
    body: { engine_config: true },
  },
  'get /api/v2/admin/tenants/{id}/metric-source': {
    answers: {
      200: answer(listOf(METRIC_SOURCE), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            project: 'monitoring',
            subscription: 'logbook',
            dead_letter_topic: 'dead',
            received: 613,
            ingested: 608,
            points: 609,
            dead_lettered: 5,
            discarded: 0,
            lag: 0,
            last_ingested: '2026-11-21T08:01:00Z',
            last_error: { message_id: '11', reason: 'the message has no data', timestamp: '2026-11-21T08:00:30Z' },
            problem: 'Subscription logbook does not exist',
          },
        ],
      }),
    },
  },
  'put /api/v2/admin/tenants/{id}/metric-source': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Metric source successfully updated', code: '200' } }) },
    body: { project: 'monitoring', subscription: 'logbook', dead_letter_topic: 'dead' },
  },
  'delete /api/v2/admin/tenants/{id}/metric-source': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Metric source successfully deleted', code: '200' } }) },
  },
  'get /api/v2/admin/tenants/{id}/status-notifications': {
    answers: {
      200: answer(listOf(NOTIFICATION_SETTINGS), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            project: 'alerts',
            topic: 'changes',
            reports: [],
            levels: ['group'],
            published: 2,
            pending: 0,
            last_published: '2026-11-21T08:08:29Z',
            problem: '',
          },
        ],
      }),
    },
  },
  'put /api/v2/admin/tenants/{id}/status-notifications': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Status notifications successfully updated', code: '200' } }) },
    body: { project: 'alerts', topic: 'changes' },
  },
  'delete /api/v2/admin/tenants/{id}/status-notifications': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Status notifications successfully deleted', code: '200' } }) },
  },
  'options /api/v2/admin/tenants/{id}/users/{userId}': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/admin/tenants/{id}/users/{userId}': {
    answers: {
      200: answer(listOf(USER), {
        status: { message: 'Success', code: '200' },
        data: [
          {
            id: '262b2829-1fa4-4338-9cd2-68743e219c46',
            name: 'new',
            email: 'new@x',
            api_key: 'cb419838fdb949140f60916cd9b56460cfdbf8682d0fd644e22f9363a685b471',
            roles: ['viewer'],
          },
        ],
      }),
    },
  },
  'put /api/v2/admin/tenants/{id}/users/{userId}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'User succesfully updated', code: '200' } }) },
    body: {},
  },
  'delete /api/v2/admin/tenants/{id}/users/{userId}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'User succesfully deleted', code: '200' } }) },
  },
  'options /api/v2/admin/tenants/{id}/users/{userId}/renew_api_key': {
    answers: { 200: { type: 'text/plain' } },
  },
  'post /api/v2/admin/tenants/{id}/users/{userId}/renew_api_key': {
    answers: {
      200: answer(one({ api_key: 'text' }), {
        status: { message: 'User api key succesfully renewed', code: '200' },
        data: { api_key: '261e58a4da6448a71ba0ff98f07d89b7ebb9ab31c6b5f22d0999b9cc58af5956' },
      }),
    },
  },
};
