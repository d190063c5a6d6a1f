import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { AGGREGATED_METRIC, INSTALLATION_USAGE, REPORT_REPORT2, REPORT_REPORT3 } from './components.js';

export const REPORTS_ANSWERS: Catalogue = {
  'get /accounting-system/installations/external/report': {
    answers: {
      200: answer(INSTALLATION_USAGE, {
        installation_id: '6b0151512e1a5d8fb2000002',
        project: 'project-12',
        provider: 'provider-13',
        installation: 'installation-15',
        infrastructure: 'i',
        resource: '',
        external_id: 'a vm/ö?%2F&=#:.. x',
        data: [
          {
            metric_definition_id: '6b0151502e1a5d8fb2000001',
            metric_name: 'metric-14',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
            periods: [
              { from: '2021-03-01T00:00:00Z', to: '2021-04-01T00:00:00Z', total_value: 4, capacity_value: 12, usage_percentage: 33.33 },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/providers/external/report': {
    answers: {
      200: answer(REPORT_REPORT2, {
        provider_id: 'provider-3',
        name: 'name of provider-3',
        website: null,
        abbreviation: null,
        logo: null,
        external_id: 'external-2',
        aggregated_metrics: [],
        data: [
          {
            installation_id: '6b015324dd77767940000001',
            project: 'project-1',
            provider: 'provider-3',
            installation: 'installation-4',
            infrastructure: 'i',
            resource: '',
            external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
            data: [],
          },
        ],
      }),
    },
  },
  'get /accounting-system/providers/report/external': {
    answers: {
      200: answer(
        { reports: [REPORT_REPORT2], aggregated_metrics: ['any'] },
        {
          reports: [
            {
              provider_id: 'provider-3',
              name: 'name of provider-3',
              website: null,
              abbreviation: null,
              logo: null,
              external_id: 'external-2',
              aggregated_metrics: [],
              data: [
                {
                  installation_id: '6b015324dd77767940000001',
                  project: 'project-1',
                  provider: 'provider-3',
                  installation: 'installation-4',
                  infrastructure: 'i',
                  resource: '',
                  external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
                  data: [],
                },
              ],
            },
          ],
          aggregated_metrics: [],
        },
      ),
    },
  },
  'get /accounting-system/installations/{installation_id}/report': {
    answers: {
      200: answer(INSTALLATION_USAGE, {
        installation_id: '6b015330812cf606a700004c',
        project: 'project-1',
        provider: 'provider-2',
        installation: 'installation-20',
        infrastructure: 'i',
        resource: '',
        external_id: '1f3d786d-dd71-49fb-84b6-c1128d302496',
        data: [
          {
            metric_definition_id: '6b01532d812cf606a7000001',
            metric_name: 'metric-3',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
            periods: [{ from: '2020-01-01T00:00:00Z', to: '2021-03-11T00:00:00Z', total_value: 12 }],
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/external/report': {
    answers: {
      200: answer(REPORT_REPORT2, {
        provider_id: 'provider-18',
        name: 'name of provider-18',
        website: null,
        abbreviation: null,
        logo: 'way 2',
        external_id: 'provider/ext 1',
        aggregated_metrics: [
          {
            metric_definition_id: '6b0151592e1a5d8fb2000009',
            metric_name: 'metric-17',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
            total_value: 1,
          },
        ],
        data: [
          {
            installation_id: '6b01515d2e1a5d8fb200000a',
            project: 'project-16',
            provider: 'provider-18',
            installation: 'installation-19',
            infrastructure: 'i',
            resource: '',
            external_id: 'df92c542-05ce-4c51-80fc-2af311b3e72b',
            data: [
              {
                metric_definition_id: '6b0151592e1a5d8fb2000009',
                metric_name: 'metric-17',
                metric_description: null,
                unit_type: 'TB',
                metric_type: 'count',
                periods: [{ from: '2024-01-01T00:00:00Z', to: '2024-02-01T00:00:00Z', total_value: 1 }],
              },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/providers/{provider_id}/report': {
    answers: {
      200: answer(
        { reports: [REPORT_REPORT2], aggregated_metrics: [AGGREGATED_METRIC] },
        {
          reports: [
            {
              provider_id: 'provider-18',
              name: 'name of provider-18',
              website: null,
              abbreviation: null,
              logo: 'way 2',
              external_id: 'provider/ext 1',
              aggregated_metrics: [
                {
                  metric_definition_id: '6b0151592e1a5d8fb2000009',
                  metric_name: 'metric-17',
                  metric_description: null,
                  unit_type: 'TB',
                  metric_type: 'count',
                  total_value: 1,
                },
              ],
              data: [
                {
                  installation_id: '6b01515d2e1a5d8fb200000a',
                  project: 'project-16',
                  provider: 'provider-18',
                  installation: 'installation-19',
                  infrastructure: 'i',
                  resource: '',
                  external_id: 'df92c542-05ce-4c51-80fc-2af311b3e72b',
                  data: [
                    {
                      metric_definition_id: '6b0151592e1a5d8fb2000009',
                      metric_name: 'metric-17',
                      metric_description: null,
                      unit_type: 'TB',
                      metric_type: 'count',
                      periods: [{ from: '2024-01-01T00:00:00Z', to: '2024-02-01T00:00:00Z', total_value: 1 }],
                    },
                  ],
                },
              ],
            },
          ],
          aggregated_metrics: [
            {
              metric_definition_id: '6b0151592e1a5d8fb2000009',
              metric_name: 'metric-17',
              metric_description: null,
              unit_type: 'TB',
              metric_type: 'count',
              total_value: 1,
            },
          ],
        },
      ),
    },
  },
  'get /accounting-system/projects/{project_id}/report': {
    answers: {
      200: answer(REPORT_REPORT3, {
        id: 'project-1',
        acronym: 'acronym of project-1',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        aggregated_metrics: [],
        data: [
          {
            provider_id: 'provider-3',
            name: 'name of provider-3',
            website: null,
            abbreviation: null,
            logo: null,
            external_id: 'external-2',
            aggregated_metrics: [],
            data: [
              {
                installation_id: '6b015324dd77767940000001',
                project: 'project-1',
                provider: 'provider-3',
                installation: 'installation-4',
                infrastructure: 'i',
                resource: '',
                external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
                data: [],
              },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/providers/{provider_id}/report': {
    answers: {
      200: answer(REPORT_REPORT2, {
        provider_id: 'provider-18',
        name: 'name of provider-18',
        website: null,
        abbreviation: null,
        logo: 'way 2',
        external_id: 'provider/ext 1',
        aggregated_metrics: [
          {
            metric_definition_id: '6b0151592e1a5d8fb2000009',
            metric_name: 'metric-17',
            metric_description: null,
            unit_type: 'TB',
            metric_type: 'count',
            total_value: 1,
          },
        ],
        data: [
          {
            installation_id: '6b01515d2e1a5d8fb200000a',
            project: 'project-16',
            provider: 'provider-18',
            installation: 'installation-19',
            infrastructure: 'i',
            resource: '',
            external_id: 'df92c542-05ce-4c51-80fc-2af311b3e72b',
            data: [
              {
                metric_definition_id: '6b0151592e1a5d8fb2000009',
                metric_name: 'metric-17',
                metric_description: null,
                unit_type: 'TB',
                metric_type: 'count',
                periods: [{ from: '2024-01-01T00:00:00Z', to: '2024-02-01T00:00:00Z', total_value: 1 }],
              },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/projects/{project_id}/groups/{group_id}/report': {
    answers: {
      200: answer(REPORT_REPORT3, {
        id: 'project-1',
        acronym: 'acronym of project-1',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        aggregated_metrics: [],
        data: [
          {
            provider_id: 'provider-3',
            name: 'name of provider-3',
            website: null,
            abbreviation: null,
            logo: null,
            external_id: 'external-2',
            aggregated_metrics: [],
            data: [
              {
                installation_id: '6b015324dd77767940000001',
                project: 'project-1',
                provider: 'provider-3',
                installation: 'installation-4',
                infrastructure: 'i',
                resource: '',
                external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
                data: [],
              },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/groups/{group_id}/report': {
    answers: {
      200: answer(REPORT_REPORT3, {
        id: 'project-1',
        acronym: 'acronym of project-1',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        aggregated_metrics: [],
        data: [
          {
            provider_id: 'provider-3',
            name: 'name of provider-3',
            website: null,
            abbreviation: null,
            logo: null,
            external_id: 'external-2',
            aggregated_metrics: [],
            data: [
              {
                installation_id: '6b015324dd77767940000001',
                project: 'project-1',
                provider: 'provider-3',
                installation: 'installation-4',
                infrastructure: 'i',
                resource: '',
                external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
                data: [],
              },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/projects/{project_id}/users/{user_id}/report': {
    answers: {
      200: answer(REPORT_REPORT3, {
        id: 'project-1',
        acronym: 'acronym of project-1',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        aggregated_metrics: [],
        data: [
          {
            provider_id: 'provider-3',
            name: 'name of provider-3',
            website: null,
            abbreviation: null,
            logo: null,
            external_id: 'external-2',
            aggregated_metrics: [],
            data: [
              {
                installation_id: '6b015324dd77767940000001',
                project: 'project-1',
                provider: 'provider-3',
                installation: 'installation-4',
                infrastructure: 'i',
                resource: '',
                external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
                data: [],
              },
            ],
          },
        ],
      }),
    },
  },
  'get /accounting-system/projects/{project_id}/users/{user_id}/report': {
    answers: {
      200: answer(REPORT_REPORT3, {
        id: 'project-1',
        acronym: 'acronym of project-1',
        title: 't',
        start_date: '2030-01-01',
        end_date: '2032-12-31',
        call_identifier: 'c',
        aggregated_metrics: [],
        data: [
          {
            provider_id: 'provider-3',
            name: 'name of provider-3',
            website: null,
            abbreviation: null,
            logo: null,
            external_id: 'external-2',
            aggregated_metrics: [],
            data: [
              {
                installation_id: '6b015324dd77767940000001',
                project: 'project-1',
                provider: 'provider-3',
                installation: 'installation-4',
                infrastructure: 'i',
                resource: '',
                external_id: '9d5de147-a6e9-4707-a2ee-6fc5dd360a2f',
                data: [],
              },
            ],
          },
        ],
      }),
    },
  },
};
