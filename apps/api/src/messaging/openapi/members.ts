import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { MEMBER_MEMBER, MEMBER2, USER } from './components.js';

export const MEMBERS_ANSWERS: Catalogue = {
  'get /v1/projects/{project}/members': {
    answers: {
      200: answer(USER, {
        users: [
          {
            uuid: 'a5ef34ad-f77d-41b9-8811-644cd28a8d05',
            name: 'U_10-x',
            token: '50e0e2d2b22cb1d70495515a67a25c14c2e36f03ad8213bf04e98d539fd67364',
            email: '',
            service_roles: [],
            created_on: '2026-11-21T08:11:33Z',
            modified_on: '2026-11-21T08:11:33Z',
          },
        ],
        nextPageToken: '',
        totalSize: 3,
      }),
    },
  },
  'post /v1/projects/{project}/members/{user}:add': {
    answers: {
      200: answer(MEMBER2, {
        uuid: '6d4fd073-8117-445f-b5f6-434e1ac6723f',
        projects: [{ project: 'P_19-x', roles: [], topics: [], subscriptions: [] }],
        name: 'of-P_19-x',
        token: 'd2fb34d49dd2b4e28ea5627a0545b753aab7922bb57f640e6f459c1a10b6f16a',
        email: '',
        service_roles: [],
        created_on: '2026-11-21T08:15:23Z',
        modified_on: '2026-11-21T08:15:23Z',
      }),
    },
    body: { roles: ['consumer'] },
  },
  'post /v1/projects/{project}/members/{user}:remove': {
    answers: { 200: answer({ '*': 'any' }, {}) },
  },
  'get /v1/projects/{project}/members/{user}': {
    answers: {
      200: answer(MEMBER_MEMBER, {
        uuid: '888c3a77-b8ff-479e-94bb-f07909788016',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'M_12-x',
        first_name: 'F',
        token: '86b719daf7027efdf11acf2ec7dc6190d02c7b2805d47937d33abd593f1255d1',
        email: 'E',
        service_roles: ['admin_viewer'],
        created_on: '2026-11-21T08:10:57Z',
        modified_on: '2026-11-21T08:10:57Z',
        created_by: 'boss',
      }),
    },
  },
  'post /v1/projects/{project}/members/{user}': {
    answers: {
      200: answer(MEMBER_MEMBER, {
        uuid: '6bdcd01f-fe81-4338-ab1e-1fcb8d7d5a06',
        projects: [{ project: 'list-subscriptions', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'subscriptions-list-unlisted',
        token: '03a275e903cdf305143de7f4424c831bc946223537f10d7a5728101d10617a65',
        email: '',
        service_roles: [],
        created_on: '2026-11-21T08:14:58Z',
        modified_on: '2026-11-21T08:14:58Z',
      }),
    },
    body: { projects: [{ project: 'p', roles: ['publisher'] }] },
  },
  'put /v1/projects/{project}/members/{user}': {
    answers: {
      200: answer(MEMBER_MEMBER, {
        uuid: '1090c09a-1dea-4131-9afc-c63873d70600',
        projects: [{ project: 'q', roles: ['consumer'], topics: [], subscriptions: [] }],
        name: 'M_13-x',
        first_name: 'F',
        token: '019f3d89f47f516ded978ca1578d31f97740f8c2d76338332327dee8bbab8a48',
        email: 'E',
        service_roles: ['admin_viewer'],
        created_on: '2026-11-21T08:10:57Z',
        modified_on: '2026-11-21T08:10:57Z',
        created_by: 'boss',
      }),
    },
    body: { projects: [{ project: 'p', roles: ['project_admin'] }] },
  },
};
