import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { NOTHING, PROJECT, REGISTRATION, USER, USERS } from './components.js';
import { DONE } from './done.js';
import * as examples from './examples.js';
import * as requests from './requests.js';

const project = { 200: answer(PROJECT, examples.PROJECT) };
const user = { 200: answer(USER, examples.USER) };
const users = { 200: answer(USERS, { users: [examples.PUBLIC_USER], nextPageToken: '', totalSize: 1 }) };
const nothing = { 200: answer(NOTHING, {}) };

const PROJECT_PATH = '/v1/projects/{project}';

export const ACCOUNTS: Catalogue = {
  'get /v1/projects': { answers: { 200: answer({ 'projects?': [PROJECT] }, { projects: [examples.PROJECT] }) } },
  [`get ${PROJECT_PATH}`]: { answers: project },
  [`post ${PROJECT_PATH}`]: { answers: project, request: requests.NEW_PROJECT, ignores: ['name'], body: { description: 'news of sites' } },
  [`put ${PROJECT_PATH}`]: { answers: project, request: requests.PROJECT_CHANGE, body: { description: 'news of all sites' } },
  [`delete ${PROJECT_PATH}`]: { answers: DONE },
  [`get ${PROJECT_PATH}/members`]: { answers: users },
  [`get ${PROJECT_PATH}/members/{user}`]: { answers: user },
  [`post ${PROJECT_PATH}/members/{user}`]: {
    answers: user,
    request: requests.MEMBER,
    body: { email: 'ada@example.org', projects: [{ project: 'EGI', roles: ['publisher'] }] },
  },
  [`put ${PROJECT_PATH}/members/{user}`]: {
    answers: user,
    request: requests.MEMBER,
    body: { projects: [{ project: 'EGI', roles: ['publisher', 'consumer'] }] },
  },
  [`post ${PROJECT_PATH}/members/{user}:add`]: { answers: user, request: requests.MEMBER_ROLES, body: { roles: ['consumer'] } },
  [`post ${PROJECT_PATH}/members/{user}:remove`]: { answers: nothing },
  'get /v1/users': { answers: users },
  'get /v1/users/profile': { answers: user },
  'get /v1/users:byToken/{token}': { answers: user },
  'get /v1/users:byUUID/{uuid}': { answers: user },
  'post /v1/users/{user}:refreshToken': { answers: user },
  'get /v1/users/{user}': { answers: user },
  'post /v1/users/{user}': {
    answers: user,
    request: requests.NEW_USER,
    ignores: ['name'],
    body: { email: 'ada@example.org', projects: [{ project: 'EGI', roles: ['publisher'] }] },
  },
  'put /v1/users/{user}': { answers: user, request: requests.USER_CHANGE, body: { service_roles: ['metrics_viewer'] } },
  'delete /v1/users/{user}': { answers: DONE },
  'post /v1/registrations': {
    answers: { 200: answer(REGISTRATION, examples.REGISTRATION) },
    request: requests.NEW_REGISTRATION,
    body: { name: 'grace', first_name: 'Grace', last_name: 'Hopper', organization: 'Example Lab', email: 'grace@example.org' },
  },
  'get /v1/registrations': {
    answers: { 200: answer({ user_registrations: [REGISTRATION] }, { user_registrations: [examples.REGISTRATION] }) },
  },
  'get /v1/registrations/{uuid}': { answers: { 200: answer(REGISTRATION, examples.REGISTRATION) } },
  'delete /v1/registrations/{uuid}': { answers: DONE },
  'post /v1/registrations/{uuid}:accept': { answers: user, request: requests.GRANT, body: { project: 'EGI', roles: ['publisher'] } },
  'post /v1/registrations/{uuid}:decline': { answers: nothing, request: requests.DECLINE, body: { comment: 'unknown organization' } },
};
