import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { METRIC_DEFINITION } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const METRICDEFINITIONS_ANSWERS: Catalogue = {
  'post /accounting-system/metric-definitions': {
    answers: {
      201: answer(METRIC_DEFINITION, {
        metric_definition_id: '6b014fb940ed97dc26000002',
        metric_name: 'calls',
        metric_description: null,
        unit_type: 'count',
        metric_type: 'aggregated',
        creator_id: 'f62f5386-a2ec-4369-b1a4-59c067f7d348',
      }),
    },
    body: { metric_name: 'metric-4', metric_type: 'count', unit_type: 'TB' },
  },
  'get /accounting-system/metric-definitions': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            metric_definition_id: '6b0151d544b13e531f000001',
            metric_name: 'cpu',
            metric_description: 'd',
            unit_type: 'tb',
            metric_type: 'Count',
            creator_id: '1f0feca7-6e33-49d1-af2e-c6428d770d2a',
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/installations/external/metric-definitions': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            metric_definition_id: '6b0151502e1a5d8fb2000001',
            metric_name: 'metric-14',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/metric-definitions/{id}': {
    answers: {
      200: answer(METRIC_DEFINITION, {
        metric_definition_id: '6b0151d544b13e531f000001',
        metric_name: 'cpu',
        metric_description: 'd',
        unit_type: 'tb',
        metric_type: 'Count',
        creator_id: '1f0feca7-6e33-49d1-af2e-c6428d770d2a',
      }),
    },
  },
  'patch /accounting-system/metric-definitions/{id}': {
    answers: {
      200: answer(METRIC_DEFINITION, {
        metric_definition_id: '6b0151fbda8ce56225000007',
        metric_name: 'metric-7',
        metric_description: 'changed',
        unit_type: 'TB',
        metric_type: 'count',
        creator_id: 'f7b1c425-78fc-41f0-bd0f-315781e31a86',
      }),
    },
    body: { metric_name: 'CPU', metric_type: 'averaged', unit_type: '' },
  },
  'delete /accounting-system/metric-definitions/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Metric Definition has been deleted successfully.' }) },
  },
  'get /accounting-system/installations/{installation_id}/metric-definitions': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 2,
        total_pages: 2,
        content: [
          {
            metric_definition_id: '6b0151a5f2f1e4e95f000005',
            metric_name: 'metric-8',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
          },
        ],
        links: [
          {
            href: 'http://logbook.example/accounting-system/installations/6b0151a3f2f1e4e95f000001/metric-definitions?page=1&size=1',
            rel: 'first',
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/metric-definitions': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 2,
        total_pages: 2,
        content: [
          {
            metric_definition_id: '6b0151a5f2f1e4e95f000005',
            metric_name: 'metric-8',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
          },
        ],
        links: [{ href: 'http://logbook.example/accounting-system/projects/project-1/metric-definitions?page=1&size=1', rel: 'first' }],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/external/metric-definitions': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            metric_definition_id: '6b0151592e1a5d8fb2000009',
            metric_name: 'metric-17',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/{provider_id}/metric-definitions': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 2,
        total_pages: 2,
        content: [
          {
            metric_definition_id: '6b0151a5f2f1e4e95f000005',
            metric_name: 'metric-8',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
          },
        ],
        links: [
          {
            href: 'http://logbook.example/accounting-system/projects/project-1/providers/provider-2/metric-definitions?page=1&size=1',
            rel: 'first',
          },
        ],
      }),
    },
  },
};
