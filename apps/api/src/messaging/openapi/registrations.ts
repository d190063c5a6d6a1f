import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { MEMBER, REGISTRATION, USER_REGISTRATION } from './components.js';

export const REGISTRATIONS_ANSWERS: Catalogue = {
  'post /v1/registrations': {
    answers: {
      200: answer(REGISTRATION, {
        uuid: 'e3cc04a1-4654-4a0a-bd28-47794dba7f09',
        name: 'R_17-x',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR',
        description: 'please',
        email: 'a@b',
        status: 'pending',
        activation_token: 'be62ae008ed9d0fc02471f9361120c010e213262cef0f2f331a376777b74a628',
        registered_at: '2026-11-21T08:04:15Z',
      }),
    },
    body: {
      name: 'first',
      first_name: 'Ann',
      last_name: 'Bee',
      organization: 'GR',
      description: 'please',
      email: 'a@b',
      uuid: 5,
      status: 'accepted',
    },
  },
  'get /v1/registrations': {
    answers: {
      200: answer(
        { user_registrations: [USER_REGISTRATION] },
        {
          user_registrations: [
            {
              uuid: '2a175f1a-e4b8-415b-a2c2-012bfe60ea34',
              name: 'list-a',
              first_name: '',
              last_name: '',
              organization: 'list',
              description: '',
              email: 'two@list',
              status: 'declined',
              registered_at: '2026-11-21T08:04:21Z',
              modified_at: '2026-11-21T08:04:21Z',
            },
          ],
        },
      ),
    },
  },
  'post /v1/registrations/{uuid}:accept': {
    answers: {
      200: answer(MEMBER, {
        uuid: '38202601-3f13-4644-96f7-5ea79b508fff',
        projects: [{ project: 'R_1-x', roles: ['project_admin'], topics: [], subscriptions: [] }],
        name: 'R_1-x',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR',
        description: 'please',
        token: 'a39f5204ac9f0cb9137fb761ce938739f6aa752f57f4b5b7255bdf78198c69f0',
        email: 'a@b',
        service_roles: [],
        created_on: '2026-11-21T08:04:03Z',
        modified_on: '2026-11-21T08:04:03Z',
        created_by: 'boss',
      }),
    },
  },
  'post /v1/registrations/{uuid}:decline': {
    answers: { 200: answer({ '*': 'any' }, {}) },
    body: {},
  },
  'get /v1/registrations/{uuid}': {
    answers: {
      200: answer(USER_REGISTRATION, {
        uuid: '4e5ffc39-2a80-463e-bf59-87ef803dfa93',
        name: 'R_21-x',
        first_name: 'Ann',
        last_name: 'Bee',
        organization: 'GR',
        description: 'please',
        email: 'a@b',
        status: 'declined',
        decline_comment: 'no <way>',
        registered_at: '2026-11-21T08:04:16Z',
        modified_by: 'boss',
        modified_at: '2026-11-21T08:04:16Z',
      }),
    },
  },
};
