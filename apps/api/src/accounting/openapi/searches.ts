import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { CLIENT, INSTALLATION_INSTALLATION, METRIC, METRIC_DEFINITION, PROVIDER_PROVIDER } from './components.js';
import { pageOf } from './envelopes.js';

export const SEARCHES_ANSWERS: Catalogue = {
  'post /accounting-system/installations/search': {
    answers: {
      200: answer(pageOf(INSTALLATION_INSTALLATION), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            installation_id: '6b014fba40ed97dc26000003',
            project: 'alpha',
            organisation: 'grnet',
            infrastructure: 'north',
            installation: 'Athens.1',
            resource: 'disk',
            external_id: 'd8645a63-ca42-42ad-8801-35e5e0ac30e3',
            unit_of_access: {
              metric_definition_id: '6b014fb940ed97dc26000001',
              metric_name: 'used',
              metric_description: 'space',
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
    body: { type: 'query', field: 'installation', values: 'ATHENS.1' },
  },
  'post /accounting-system/providers/search': {
    answers: {
      200: answer(pageOf(PROVIDER_PROVIDER), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: 'grnet',
            name: 'GRNET (a+b)',
            website: 'https://grnet.example',
            abbreviation: 'GR',
            logo: null,
            external_id: 'fc1c1689-cd5f-43d5-acfc-046da1e40f77',
          },
        ],
        links: [],
      }),
    },
    body: { type: 'query', field: 'name', values: 'grnet (A+B)' },
  },
  'post /accounting-system/metric-definitions/search': {
    answers: {
      200: answer(pageOf(METRIC_DEFINITION), {
        size_of_page: 2,
        number_of_page: 1,
        total_elements: 2,
        total_pages: 1,
        content: [
          {
            metric_definition_id: '6b014fb940ed97dc26000001',
            metric_name: 'used',
            metric_description: 'space',
            unit_type: 'TB',
            metric_type: 'count',
            creator_id: 'f62f5386-a2ec-4369-b1a4-59c067f7d348',
          },
        ],
        links: [],
      }),
    },
    body: { type: 'query', field: 'metric_name', values: 'USED' },
  },
  'post /accounting-system/projects/search': {
    answers: {
      200: answer(pageOf(CLIENT), {
        size_of_page: 2,
        number_of_page: 1,
        total_elements: 2,
        total_pages: 1,
        content: [
          {
            id: 'alpha',
            acronym: 'acronym of alpha',
            title: 't',
            start_date: '2030-01-01',
            end_date: '2032-12-31',
            call_identifier: 'c',
            providers: [
              {
                id: 'grnet',
                name: 'GRNET (a+b)',
                external_id: 'fc1c1689-cd5f-43d5-acfc-046da1e40f77',
                website: 'https://grnet.example',
                abbreviation: 'GR',
                logo: null,
                installations: [
                  {
                    id: '6b014fba40ed97dc26000003',
                    infrastructure: 'north',
                    installation: 'Athens.1',
                    external_id: 'd8645a63-ca42-42ad-8801-35e5e0ac30e3',
                    resource: 'disk',
                    unit_of_access: '6b014fb940ed97dc26000001',
                  },
                ],
              },
            ],
          },
        ],
        links: [],
      }),
    },
    body: { type: 'query', field: '_id', values: 'alpha' },
  },
  'post /accounting-system/metrics/search': {
    answers: {
      200: answer(pageOf(METRIC), {
        size_of_page: 3,
        number_of_page: 1,
        total_elements: 3,
        total_pages: 1,
        content: [
          {
            id: '6b014fba40ed97dc26000006',
            time_period_start: '2024-03-01T00:00:00Z',
            time_period_end: '2024-03-01T12:00:00.500Z',
            value: 1000,
            project: 'acronym of alpha',
            provider: 'grnet',
            installation_id: '6b014fba40ed97dc26000003',
            project_id: 'alpha',
            resource: 'disk',
            group_id: 'g',
            user_id: 'U',
            metric_definition: {
              metric_definition_id: '6b014fb940ed97dc26000001',
              metric_name: 'used',
              metric_description: 'space',
              unit_type: 'TB',
              metric_type: 'count',
            },
          },
        ],
        links: [],
      }),
    },
    body: { type: 'query', field: 'nosuch', values: null },
  },
  'get /accounting-system/operands': {
    answers: { 200: answer([{ label: 'text', display_value: 'text' }], [{ label: 'eq', display_value: '==' }]) },
  },
  'get /accounting-system/operators': {
    answers: { 200: answer([{ label: 'text', display_value: 'text' }], [{ label: 'and', display_value: 'AND' }]) },
  },
};
