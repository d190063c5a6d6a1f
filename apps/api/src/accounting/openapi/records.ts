import type { Catalogue, Described } from '#api/shared/openapi/described.js';
import type { Component } from '#api/shared/openapi/shape.js';
import { ASSOCIATION, INSTALLATION, METRIC_DEFINITION, METRIC_TYPE, PROJECT, PROVIDER, RESOURCE, UNIT_TYPE } from './components.js';
import { creates, lists, says, shows } from './envelopes.js';
import * as examples from './examples.js';
import * as requests from './requests.js';

const ROOT = '/accounting-system';
const PROJECT_PATH = `${ROOT}/projects/{project_id}`;

const definitions: Described = { answers: lists(METRIC_DEFINITION, examples.METRIC_DEFINITION) };
const installations: Described = { answers: lists(INSTALLATION, examples.INSTALLATION) };
const associated: Described = { answers: says('The following provider site-a has been associated with Project grid') };
const dissociated: Described = { answers: says('The following provider site-a has been dissociated from Project grid') };

const PROJECTS: Catalogue = {
  [`get ${ROOT}/projects`]: { answers: lists(PROJECT, examples.PROJECT) },
  [`get ${PROJECT_PATH}`]: { answers: shows(PROJECT, examples.PROJECT) },
  [`post ${PROJECT_PATH}/associate/provider/{provider_id}`]: associated,
  [`post ${PROJECT_PATH}/associate/provider/external`]: associated,
  [`post ${PROJECT_PATH}/dissociate/provider/{provider_id}`]: dissociated,
  [`post ${PROJECT_PATH}/dissociate/provider/external`]: dissociated,
  [`get ${PROJECT_PATH}/installations`]: installations,
  [`get ${PROJECT_PATH}/providers/{provider_id}/installations`]: installations,
  [`get ${PROJECT_PATH}/providers/external/installations`]: installations,
  [`get ${PROJECT_PATH}/metric-definitions`]: definitions,
  [`get ${PROJECT_PATH}/providers/{provider_id}/metric-definitions`]: definitions,
  [`get ${PROJECT_PATH}/providers/external/metric-definitions`]: definitions,
};

/** `{"status": "approved provider", "provider": {"id": "ext-1", "name": "Site B", …}}` */
const PUSHED =
  'eyJzdGF0dXMiOiAiYXBwcm92ZWQgcHJvdmlkZXIiLCAicHJvdmlkZXIiOiB7ImlkIjogImV4dC0xIiwgIm5hbWUiOiAiU2l0ZSBCIiwgImFiYnJldmlhdGlvbiI6ICJTQiIsICJ3ZWJzaXRlIjogImh0dHBzOi8vc2l0ZS1iLmV4YW1wbGUub3JnIn19';

/** A provider at one of its two paths. */
const provider = (path: string): Catalogue => ({
  [`get ${path}`]: { answers: shows(PROVIDER, examples.PROVIDER) },
  [`patch ${path}`]: {
    answers: shows(PROVIDER, examples.PROVIDER),
    request: requests.PROVIDER_CHANGE,
    body: { website: 'https://site-a.example.org' },
  },
  [`delete ${path}`]: { answers: says('Provider has been deleted successfully.') },
});

const PROVIDERS: Catalogue = {
  [`post ${ROOT}/providers`]: {
    answers: creates(PROVIDER, examples.PROVIDER),
    request: requests.NEW_PROVIDER,
    body: examples.NEW_PROVIDER,
  },
  [`get ${ROOT}/providers`]: { answers: lists(PROVIDER, examples.PROVIDER) },
  [`get ${ROOT}/providers/all`]: { answers: lists(ASSOCIATION, examples.ASSOCIATION) },
  ...provider(`${ROOT}/providers/external`),
  ...provider(`${ROOT}/providers/{provider_id}`),
  [`get ${ROOT}/resources`]: { answers: lists(RESOURCE, examples.RESOURCE) },
  [`post ${ROOT}/ams-listener`]: {
    answers: says('AMS message has been successfully consumed'),
    request: requests.PUSHED_MESSAGE,
    body: { message: { data: PUSHED, messageId: '1' }, subscription: 'projects/catalogue/subscriptions/accounting' },
  },
};

/** An installation at one of its two paths. */
const installation = (path: string): Catalogue => ({
  [`get ${path}`]: { answers: shows(INSTALLATION, examples.INSTALLATION) },
  [`patch ${path}`]: {
    answers: shows(INSTALLATION, examples.INSTALLATION),
    request: requests.INSTALLATION_CHANGE,
    body: { infrastructure: 'cloud' },
  },
  [`delete ${path}`]: { answers: says('Installation has been deleted successfully.') },
  [`get ${path}/metric-definitions`]: definitions,
});

const INSTALLATIONS: Catalogue = {
  [`post ${ROOT}/installations`]: {
    answers: creates(INSTALLATION, examples.INSTALLATION),
    request: requests.NEW_INSTALLATION,
    body: examples.NEW_INSTALLATION,
  },
  [`get ${ROOT}/installations/all`]: installations,
  ...installation(`${ROOT}/installations/external`),
  ...installation(`${ROOT}/installations/{installation_id}`),
};

const DEFINITIONS: Catalogue = {
  [`post ${ROOT}/metric-definitions`]: {
    answers: creates(METRIC_DEFINITION, examples.METRIC_DEFINITION),
    request: requests.NEW_METRIC_DEFINITION,
    body: examples.NEW_METRIC_DEFINITION,
  },
  [`get ${ROOT}/metric-definitions`]: definitions,
  [`get ${ROOT}/metric-definitions/{id}`]: { answers: shows(METRIC_DEFINITION, examples.METRIC_DEFINITION) },
  [`patch ${ROOT}/metric-definitions/{id}`]: {
    answers: shows(METRIC_DEFINITION, examples.METRIC_DEFINITION),
    request: requests.METRIC_DEFINITION_CHANGE,
    body: { metric_description: 'allocated disk space' },
  },
  [`delete ${ROOT}/metric-definitions/{id}`]: { answers: says('Metric Definition has been deleted successfully.') },
};

type Types = Readonly<{
  record: Component;
  shown: object;
  /** As it is sent, and as it is answered. */
  added: Readonly<{ sent: object; shown: object }>;
  requests: Readonly<{ added: Component; changed: Component }>;
  change: object;
  deleted: string;
}>;

const types = (path: string, { record, shown, added, requests: { added: request, changed }, change, deleted }: Types): Catalogue => ({
  [`get ${path}`]: { answers: lists(record, shown) },
  [`post ${path}`]: { answers: creates(record, added.shown), request, body: added.sent },
  [`get ${path}/{id}`]: { answers: shows(record, shown) },
  [`patch ${path}/{id}`]: { answers: shows(record, shown), request: changed, body: change },
  [`delete ${path}/{id}`]: { answers: says(deleted) },
});

const PB = { unit_type: 'PB', description: 'petabyte' };
const PEAK = { metric_type: 'peak', description: 'The highest value' };

const TYPES: Catalogue = {
  ...types(`${ROOT}/unit-types`, {
    record: UNIT_TYPE,
    shown: examples.UNIT_TYPE,
    added: { sent: PB, shown: { ...examples.UNIT_TYPE, ...PB, creator_id: 'ada' } },
    requests: { added: requests.NEW_UNIT_TYPE, changed: requests.UNIT_TYPE_CHANGE },
    change: { description: 'a million gigabytes' },
    deleted: 'Unit Type has been deleted successfully.',
  }),
  ...types(`${ROOT}/metric-types`, {
    record: METRIC_TYPE,
    shown: examples.METRIC_TYPE,
    added: { sent: PEAK, shown: { ...examples.METRIC_TYPE, ...PEAK, creator_id: 'ada' } },
    requests: { added: requests.NEW_METRIC_TYPE, changed: requests.METRIC_TYPE_CHANGE },
    change: { description: 'The highest value captured' },
    deleted: 'Metric Type has been deleted successfully.',
  }),
};

export const RECORDS: Catalogue = { ...PROJECTS, ...PROVIDERS, ...INSTALLATIONS, ...DEFINITIONS, ...TYPES };
