import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { nullable } from '#api/shared/openapi/shape.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const CLIENTS_ANSWERS: Catalogue = {
  'post /accounting-system/clients': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'The actor was successfully registered.' }) },
    body: {},
  },
  'get /accounting-system/clients/me': {
    answers: {
      200: answer(
        pageOf({
          id: 'text',
          acronym: 'text',
          title: 'text',
          start_date: 'day',
          end_date: 'day',
          call_identifier: 'text',
          providers: [
            {
              id: 'text',
              name: 'text',
              website: nullable('text'),
              abbreviation: nullable('text'),
              logo: nullable('text'),
              installations: [
                {
                  id: 'text',
                  infrastructure: 'text',
                  installation: 'text',
                  unit_of_access: nullable('text'),
                  permissions: [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
                },
              ],
              permissions: [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
            },
          ],
          permissions: [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
        }),
        {
          size_of_page: 1,
          number_of_page: 1,
          total_elements: 1,
          total_pages: 1,
          content: [
            {
              id: 'project-1',
              acronym: 'acronym of project-1',
              title: 't',
              start_date: '2030-01-01',
              end_date: '2032-12-31',
              call_identifier: 'c',
              providers: [
                {
                  id: 'provider-2',
                  name: 'name of provider-2',
                  website: null,
                  abbreviation: null,
                  logo: null,
                  installations: [
                    {
                      id: '6b015264e84a5a885d000001',
                      infrastructure: 'i',
                      installation: 'taken',
                      unit_of_access: null,
                      permissions: [{ access_permissions: [{ operation: 'READ', access_type: 'ALWAYS' }], collection: 'Metric' }],
                    },
                  ],
                  permissions: [{ access_permissions: [{ operation: 'READ', access_type: 'ALWAYS' }], collection: 'Metric' }],
                },
              ],
              permissions: [],
            },
          ],
          links: [],
        },
      ),
    },
  },
  'get /accounting-system/clients/general-permissions': {
    answers: {
      200: answer(
        [{ access_permissions: [{ operation: 'text', access_type: 'text' }], collection: 'text' }],
        [{ access_permissions: [{ operation: 'READ', access_type: 'ALWAYS' }], collection: 'MetricDefinition' }],
      ),
    },
  },
};
