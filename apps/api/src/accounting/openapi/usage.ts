import { answer, type Catalogue, type Described } from '#api/shared/openapi/described.js';
import {
  CAPACITY,
  FOUND_INSTALLATION,
  GLOBAL_PROVIDER_REPORT,
  INSTALLATION_REPORT,
  LISTED_METRIC,
  METRIC,
  METRIC_DEFINITION,
  PROJECT,
  PROJECT_REPORT,
  PROVIDER,
  PROVIDER_REPORT,
  WORD,
} from './components.js';
import { creates, lists, says, shows } from './envelopes.js';
import * as examples from './examples.js';
import * as requests from './requests.js';

const ROOT = '/accounting-system';
const PROJECT_PATH = `${ROOT}/projects/{project_id}`;
/** Served besides the path without the doubled segment. */
const DOUBLED = `${ROOT}/projects/projects/{project_id}`;

const metrics: Described = { answers: lists(LISTED_METRIC, examples.LISTED_METRIC) };
const installationReport: Described = { answers: shows(INSTALLATION_REPORT, examples.INSTALLATION_REPORT) };

/** What is known of an installation at one of its two paths. */
const ofInstallation = (path: string): Catalogue => ({
  [`get ${path}/capacities`]: { answers: { 200: answer([CAPACITY], [examples.CAPACITY]) } },
  [`post ${path}/capacities`]: {
    answers: says('Capacity has been successfully registered.'),
    request: requests.NEW_CAPACITY,
    body: examples.NEW_CAPACITY,
  },
  [`patch ${path}/capacities/{capacity_id}`]: {
    answers: says('Capacity was updated successfully.'),
    request: requests.CAPACITY_CHANGE,
    body: { value: 150 },
  },
  [`get ${path}/metrics`]: metrics,
  [`post ${path}/metrics`]: {
    answers: creates(METRIC, examples.METRIC),
    request: requests.NEW_METRIC,
    body: examples.NEW_METRIC,
  },
  [`get ${path}/metrics/{id}`]: { answers: shows(METRIC, examples.METRIC) },
  [`patch ${path}/metrics/{id}`]: { answers: shows(METRIC, examples.METRIC), request: requests.METRIC_CHANGE, body: { value: 12.5 } },
  [`delete ${path}/metrics/{id}`]: { answers: says('Metric has been deleted successfully.') },
  [`get ${path}/report`]: installationReport,
});

const providerReport: Described = { answers: shows(PROVIDER_REPORT, examples.PROVIDER_REPORT) };
const globalReport: Described = { answers: shows(GLOBAL_PROVIDER_REPORT, examples.GLOBAL_PROVIDER_REPORT) };
const projectReport: Described = { answers: shows(PROJECT_REPORT, examples.PROJECT_REPORT) };

/** Metrics and report of a group or user. */
const ofHolder = (path: string): Catalogue => ({ [`get ${path}/metrics`]: metrics, [`get ${path}/report`]: projectReport });

/** A search for records. */
const search = (answers: Described['answers'], body: object): Described => ({ answers, request: requests.SEARCH, body });

const SEARCHES: Catalogue = {
  [`post ${ROOT}/installations/search`]: search(lists(FOUND_INSTALLATION, examples.FOUND_INSTALLATION), {
    type: 'filter',
    operator: 'OR',
    criteria: [
      { type: 'query', field: 'installation', values: 'SITE-A', operand: 'eq' },
      { type: 'query', field: 'organisation', values: 'site-b', operand: 'eq' },
    ],
  }),
  [`post ${ROOT}/providers/search`]: search(lists(PROVIDER, examples.FOUND_PROVIDER), {
    type: 'query',
    field: 'name',
    values: 'Site A',
    operand: 'eq',
  }),
  [`post ${ROOT}/metric-definitions/search`]: search(lists(METRIC_DEFINITION, examples.METRIC_DEFINITION), {
    type: 'query',
    field: 'metric_name',
    values: 'storage',
  }),
  [`post ${ROOT}/projects/search`]: search(lists(PROJECT, examples.PROJECT), { type: 'query', field: 'acronym', values: 'GRID' }),
  [`post ${ROOT}/metrics/search`]: search(lists(LISTED_METRIC, examples.LISTED_METRIC), {
    type: 'query',
    field: 'time_period_start',
    values: '2024-03-01T00:00:00Z',
    operand: 'gte',
  }),
  [`get ${ROOT}/operands`]: { answers: { 200: answer([WORD], [{ label: 'eq', display_value: '==' }]) } },
  [`get ${ROOT}/operators`]: { answers: { 200: answer([WORD], [{ label: 'and', display_value: 'AND' }]) } },
};

export const USAGE: Catalogue = {
  ...ofInstallation(`${ROOT}/installations/{installation_id}`),
  ...ofInstallation(`${ROOT}/installations/external`),
  [`get ${PROJECT_PATH}/metrics`]: metrics,
  [`get ${PROJECT_PATH}/providers/{provider_id}/metrics`]: metrics,
  [`get ${PROJECT_PATH}/providers/external/metrics`]: metrics,
  [`get ${PROJECT_PATH}/report`]: projectReport,
  [`get ${PROJECT_PATH}/providers/{provider_id}/report`]: providerReport,
  [`get ${PROJECT_PATH}/providers/external/report`]: providerReport,
  [`get ${ROOT}/providers/external/report`]: providerReport,
  [`get ${ROOT}/providers/{provider_id}/report`]: globalReport,
  [`get ${ROOT}/providers/report/external`]: globalReport,
  ...ofHolder(`${PROJECT_PATH}/groups/{group_id}`),
  ...ofHolder(`${DOUBLED}/groups/{group_id}`),
  ...ofHolder(`${PROJECT_PATH}/users/{user_id}`),
  ...ofHolder(`${DOUBLED}/users/{user_id}`),
  ...SEARCHES,
};
