import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { MEMBER, USER } from './components.js';

export const USERS_ANSWERS: Catalogue = {
  'get /v1/users': {
    answers: { 200: answer(USER, {}) },
  },
  'get /v1/users/profile': {
    answers: {
      200: answer(MEMBER, {
        uuid: '5b23e589-0fea-4a9d-b627-84f575fbfc0a',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'everything',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR <1>',
        description: 'about',
        token: '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684',
        email: 'not an address',
        service_roles: ['metrics_viewer'],
        created_on: '2026-11-21T08:11:26Z',
        modified_on: '2026-11-21T08:11:26Z',
        created_by: 'boss',
      }),
    },
  },
  'get /v1/users:byToken/{token}': {
    answers: {
      200: answer(MEMBER, {
        uuid: '5b23e589-0fea-4a9d-b627-84f575fbfc0a',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'everything',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR <1>',
        description: 'about',
        token: '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684',
        email: 'not an address',
        service_roles: ['metrics_viewer'],
        created_on: '2026-11-21T08:11:26Z',
        modified_on: '2026-11-21T08:11:26Z',
        created_by: 'boss',
      }),
    },
  },
  'get /v1/users:byUUID/{uuid}': {
    answers: {
      200: answer(MEMBER, {
        uuid: '5b23e589-0fea-4a9d-b627-84f575fbfc0a',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'everything',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR <1>',
        description: 'about',
        token: '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684',
        email: 'not an address',
        service_roles: ['metrics_viewer'],
        created_on: '2026-11-21T08:11:26Z',
        modified_on: '2026-11-21T08:11:26Z',
        created_by: 'boss',
      }),
    },
  },
  'post /v1/users/{user}:refreshToken': {
    answers: {
      200: answer(MEMBER, {
        uuid: '499cf38b-5241-431f-82c2-cbbc35ae9268',
        projects: [{ project: 'p', roles: ['project_admin'], topics: [], subscriptions: [] }],
        name: 'U_9-x',
        token: 'cb3a553c7bd99fe41175c8ba2a38a7d36600be9b278e63d5b31927daf3b84fdc',
        email: '',
        service_roles: [],
        created_on: '2026-11-21T08:11:32Z',
        modified_on: '2026-11-21T08:11:32Z',
      }),
    },
  },
  'get /v1/users/{user}': {
    answers: {
      200: answer(MEMBER, {
        uuid: '5b23e589-0fea-4a9d-b627-84f575fbfc0a',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'everything',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR <1>',
        description: 'about',
        token: '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684',
        email: 'not an address',
        service_roles: ['metrics_viewer'],
        created_on: '2026-11-21T08:11:26Z',
        modified_on: '2026-11-21T08:11:26Z',
        created_by: 'boss',
      }),
    },
  },
  'post /v1/users/{user}': {
    answers: {
      200: answer(MEMBER, {
        uuid: '5b23e589-0fea-4a9d-b627-84f575fbfc0a',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'everything',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR <1>',
        description: 'about',
        token: '4ab4f0dc531f87081e5cc79995d4390cd6815a7fdd5d7acd2e5f8509e4df7684',
        email: 'not an address',
        service_roles: ['metrics_viewer'],
        created_on: '2026-11-21T08:11:26Z',
        modified_on: '2026-11-21T08:11:26Z',
        created_by: 'boss',
      }),
    },
    body: { service_roles: ['metrics_viewer'] },
  },
  'put /v1/users/{user}': {
    answers: {
      200: answer(MEMBER, {
        uuid: '3133a609-f3f0-4a14-adb6-065d704737ce',
        projects: [{ project: 'first', roles: ['project_admin'], topics: [], subscriptions: [] }],
        name: 'ada-first',
        token: 'd2f09dc4b7aa1fd58921d9a4c96014699554c85f4c53d20af5c8936fb6af921d',
        email: '',
        service_roles: [],
        created_on: '2026-11-21T08:00:12Z',
        modified_on: '2026-11-21T08:00:17Z',
      }),
    },
    body: { projects: [{ project: 'first', roles: ['project_admin'] }] },
  },
};
