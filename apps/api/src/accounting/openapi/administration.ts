import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { doc } from '#api/shared/openapi/shape.js';
import {
  ACCESSIBLE_PROJECT,
  ACTOR,
  ASSIGNMENT,
  ENTITLEMENT,
  OBJECT_ID,
  OIDC_TENANT,
  PERMISSION,
  PROJECT,
  RESOURCE,
  SETTING,
} from './components.js';
import { creates, lists, says, shows } from './envelopes.js';
import * as examples from './examples.js';
import * as requests from './requests.js';

const ADMIN = '/accounting-system/admin';

const ACCESS: Catalogue = {
  'post /accounting-system/clients': { answers: says('The actor was successfully registered.') },
  'get /accounting-system/clients/me': { answers: lists(ACCESSIBLE_PROJECT, examples.ACCESSIBLE_PROJECT) },
  'get /accounting-system/clients/general-permissions': {
    answers: { 200: answer([PERMISSION], [{ ...examples.PERMISSION, collection: 'MetricDefinition' }]) },
  },
  [`get ${ADMIN}/actors`]: { answers: lists(ACTOR, examples.ACTOR) },
  [`get ${ADMIN}/actors/entitlements`]: { answers: lists(ASSIGNMENT, examples.ASSIGNMENT) },
  [`get ${ADMIN}/actors/{actorId}/entitlements`]: { answers: lists(ENTITLEMENT, examples.ENTITLEMENT) },
  [`post ${ADMIN}/entitlements`]: {
    answers: {
      201: answer(
        { code: 'integer', message: 'text', id: doc(OBJECT_ID, 'of the entitlement') },
        { code: 201, message: 'Entitlement created successfully.', id: examples.ENTITLEMENT.id },
      ),
    },
    request: requests.ENTITLEMENT,
    body: { name: examples.ENTITLEMENT.name },
  },
  [`get ${ADMIN}/entitlements`]: { answers: lists(ENTITLEMENT, examples.ENTITLEMENT) },
  [`get ${ADMIN}/entitlements/{id}`]: { answers: shows(ENTITLEMENT, examples.ENTITLEMENT) },
  [`patch ${ADMIN}/entitlements/{id}`]: {
    answers: shows(ENTITLEMENT, examples.ENTITLEMENT),
    request: requests.ENTITLEMENT,
    body: { name: examples.ENTITLEMENT.name },
  },
  [`delete ${ADMIN}/entitlements/{id}`]: { answers: says('Entitlement was deleted successfully.') },
  [`post ${ADMIN}/entitlements/{id}/assign/{actorId}`]: { answers: says('Entitlement was assigned successfully.') },
  [`post ${ADMIN}/entitlements/{id}/dissociate/{actorId}`]: { answers: says('Entitlement was dissociated successfully.') },
};

const SETTINGS: Catalogue = {
  [`get ${ADMIN}/settings/metadata`]: { answers: lists(SETTING, examples.SETTING) },
  [`put ${ADMIN}/settings/{key}`]: {
    answers: says('Setting updated successfully.'),
    request: requests.SETTING,
    body: { value: 'oidc' },
  },
  [`post ${ADMIN}/oidc-tenants`]: {
    answers: creates(OIDC_TENANT, examples.OIDC_TENANT),
    request: requests.NEW_OIDC_TENANT,
    body: examples.NEW_OIDC_TENANT,
  },
  [`get ${ADMIN}/oidc-tenants`]: { answers: lists(OIDC_TENANT, examples.OIDC_TENANT) },
  [`get ${ADMIN}/oidc-tenants/{id}`]: { answers: shows(OIDC_TENANT, examples.OIDC_TENANT) },
  [`patch ${ADMIN}/oidc-tenants/{id}`]: {
    answers: shows(OIDC_TENANT, examples.OIDC_TENANT),
    request: requests.OIDC_TENANT_CHANGE,
    body: { client_id: 'accounting-2', secret: 'more-confidential' },
  },
  [`delete ${ADMIN}/oidc-tenants/{id}`]: { answers: says('OIDC tenant configuration deleted successfully.') },
  [`get ${ADMIN}/version`]: { answers: { 200: answer({ version: 'text' }, { version: '0.1.0' }) } },
  [`get ${ADMIN}/metrics`]: {
    answers: {
      200: answer(
        { metric_definition_count: 'count', metric_count: 'count', actor_count: 'count' },
        { metric_definition_count: 3, metric_count: 1200, actor_count: 8 },
      ),
    },
  },
};

const RECORDS: Catalogue = {
  [`post ${ADMIN}/projects`]: {
    answers: creates(PROJECT, examples.CREATED_PROJECT),
    request: requests.NEW_PROJECT,
    body: examples.NEW_PROJECT,
  },
  [`get ${ADMIN}/projects`]: { answers: lists(PROJECT, examples.PROJECT) },
  [`patch ${ADMIN}/projects/{id}`]: {
    answers: shows(PROJECT, examples.PROJECT),
    request: requests.PROJECT_CHANGE,
    body: { title: 'The grid', end_date: '2031-12-31' },
  },
  [`delete ${ADMIN}/projects/{id}`]: { answers: says('Project deleted successfully.') },
  [`post ${ADMIN}/register-projects`]: {
    answers: {
      200: answer(
        { code: 'integer', message: 'text', errors: doc(['text'], 'why projects were not registered') },
        {
          code: 200,
          message: 'Project(s) : [101017567] registered successfully.',
          errors: ['Project 777536 has already been registered.'],
        },
      ),
    },
    request: requests.REGISTER_PROJECTS,
    body: { projects: ['101017567', '777536'] },
  },
  [`post ${ADMIN}/resources`]: {
    answers: creates(RESOURCE, examples.RESOURCE),
    request: requests.NEW_RESOURCE,
    body: examples.RESOURCE,
  },
  [`delete ${ADMIN}/resources/{id}`]: { answers: says('Resource deleted successfully.') },
};

export const ADMINISTRATION: Catalogue = { ...ACCESS, ...SETTINGS, ...RECORDS };
