import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { METRIC, PROJECT_METRIC, RECORDED_METRIC } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const METRICS_ANSWERS: Catalogue = {
  'post /accounting-system/installations/external/metrics': {
    answers: {
      201: answer(RECORDED_METRIC, {
        metric_id: '6b0156a764b98c143d000027',
        metric_definition_id: '6b0156a264b98c143d000001',
        time_period_start: '2024-03-02T00:00:00Z',
        time_period_end: '2024-03-03T00:00:00Z',
        value: 2,
      }),
    },
    body: {
      metric_definition_id: '6b0156a264b98c143d000001',
      time_period_start: '2024-03-02T00:00:00Z',
      time_period_end: '2024-03-03T00:00:00Z',
      value: 2,
    },
  },
  'get /accounting-system/installations/external/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/installations/external/metrics/{id}': {
    answers: {
      200: answer(RECORDED_METRIC, {
        metric_id: '6b01511cb345fbdd0e000008',
        metric_definition_id: '6b015119b345fbdd0e000001',
        time_period_start: '2021-03-02T00:00:00Z',
        time_period_end: '2021-03-03T00:00:00Z',
        value: 2,
      }),
    },
  },
  'patch /accounting-system/installations/external/metrics/{id}': {
    answers: {
      200: answer(RECORDED_METRIC, {
        metric_id: '6b01511cb345fbdd0e000008',
        metric_definition_id: '6b015119b345fbdd0e000001',
        time_period_start: '2021-03-02T00:00:00Z',
        time_period_end: '2021-03-03T00:00:00Z',
        value: 2,
      }),
    },
    body: { value: 2 },
  },
  'post /accounting-system/installations/{installation_id}/metrics': {
    answers: {
      201: answer(PROJECT_METRIC, {
        metric_id: '6b014fba40ed97dc26000006',
        metric_definition_id: '6b014fb940ed97dc26000001',
        time_period_start: '2024-03-01T00:00:00Z',
        time_period_end: '2024-03-01T12:00:00.500Z',
        value: 1000,
        group_id: 'g',
        user_id: 'U',
      }),
    },
    body: {
      metric_definition_id: '6b0156a264b98c143d000001',
      time_period_start: '2024-03-02T00:00:00Z',
      time_period_end: '2024-03-03T00:00:00Z',
    },
  },
  'get /accounting-system/installations/{installation_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/external/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            id: '6b01515e2e1a5d8fb200000b',
            time_period_start: '2024-01-01T00:00:00Z',
            time_period_end: '2024-01-02T00:00:00Z',
            value: 1,
            project: 'acronym of project-16',
            provider: 'provider-18',
            installation_id: '6b01515d2e1a5d8fb200000a',
            project_id: 'project-16',
            metric_definition: {
              metric_definition_id: '6b0151592e1a5d8fb2000009',
              metric_name: 'metric-17',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/installations/{installation_id}/metrics/{id}': {
    answers: {
      200: answer(PROJECT_METRIC, {
        metric_id: '6b0156a364b98c143d000007',
        metric_definition_id: '6b0156a264b98c143d000001',
        time_period_start: '2024-03-02T00:00:00Z',
        time_period_end: '2024-03-03T00:00:00Z',
        value: -0.001,
        group_id: '5',
        user_id: 'true',
      }),
    },
  },
  'patch /accounting-system/installations/{installation_id}/metrics/{id}': {
    answers: {
      200: answer(PROJECT_METRIC, {
        metric_id: '6b0156a564b98c143d00000b',
        metric_definition_id: '6b0156a264b98c143d000001',
        time_period_start: '2024-03-02T00:00:00Z',
        time_period_end: '2024-03-03T00:00:00Z',
        value: 3,
        group_id: 'g',
        user_id: 'u',
      }),
    },
    body: {},
  },
  'delete /accounting-system/installations/external/metrics/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Metric has been deleted successfully.' }) },
  },
  'delete /accounting-system/installations/{installation_id}/metrics/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Metric has been deleted successfully.' }) },
  },
  'get /accounting-system/projects/{project_id}/providers/{provider_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/projects/{project_id}/groups/{group_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/groups/{group_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/projects/{project_id}/users/{user_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 2,
        number_of_page: 1,
        total_elements: 2,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b36000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-02T00:00:00Z',
            value: 0,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'u',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/users/{user_id}/metrics': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 1,
        number_of_page: 1,
        total_elements: 1,
        total_pages: 1,
        content: [
          {
            id: '6b0156e22773fd0b3600000a',
            time_period_start: '2024-03-31T20:00:00Z',
            time_period_end: '2024-04-01T06:00:00Z',
            value: 4,
            project: 'acronym of project-1',
            provider: 'provider-2',
            installation_id: '6b0156e22773fd0b36000001',
            project_id: 'project-1',
            resource: 'the resource',
            group_id: 'g',
            user_id: 'a b',
            metric_definition: {
              metric_definition_id: '6b0156e22773fd0b36000004',
              metric_name: 'metric-7',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
  },
};
