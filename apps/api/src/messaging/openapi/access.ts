import { answer, type Catalogue } from '#api/shared/openapi/described.js';

export const ACCESS_ANSWERS: Catalogue = {
  'get /v1/projects/{project}/topics/{topic}:acl': {
    answers: { 200: answer({ authorized_users: ['text'] }, { authorized_users: ['topics-b'] }) },
  },
  'get /v1/projects/{project}/subscriptions/{subscription}:acl': {
    answers: { 200: answer({ authorized_users: ['text'] }, { authorized_users: ['subscriptions-b'] }) },
  },
};
