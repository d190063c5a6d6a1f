import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { FLAT_ENDPOINT_RESULTS, GROUP_TIMELINE, SERVICE_FLAVOR_RESULTS } from './components.js';

export const RESULTS_ANSWERS: Catalogue = {
  'get /metrics/status': {
    answers: { 200: { type: 'application/openmetrics-text' } },
  },
  'options /metrics/status': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/results/{report}/endpoints': {
    answers: {
      200: answer(
        { results: [FLAT_ENDPOINT_RESULTS], 'pageSize?': 'integer', 'nextPageToken?': 'text' },
        {
          results: [
            {
              name: 'h1',
              service: 'web',
              supergroup: 'SITE-A',
              type: 'endpoint',
              info: { ID: 'id-1', URL: 'https://h1/<a>' },
              results: [
                { timestamp: '2015-04-30', availability: '100', reliability: '100', unknown: '0.95833', uptime: '0.04167', downtime: '0' },
              ],
            },
          ],
          pageSize: 1000000000,
        },
      ),
    },
  },
  'options /api/v2/results/{report}/endpoints': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v3/results/{report}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              results: [{ 'date?': 'text', availability: 'text', reliability: 'text' }],
              groups: [
                {
                  name: 'text',
                  type: 'text',
                  results: [
                    { 'date?': 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'NGI-1',
              type: 'NGI',
              results: [{ date: '2015-05-01', availability: '85.807018', reliability: '91.29629600000001' }],
              groups: [
                {
                  name: 'SITE-A',
                  type: 'SITES',
                  results: [
                    { date: '2015-05-01', availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'options /api/v3/results/{report}': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/results/{report}/{type}': {
    answers: {
      200: answer(
        { results: [SERVICE_FLAVOR_RESULTS] },
        {
          results: [
            {
              name: 'NGI-1',
              type: 'NGI',
              results: [{ timestamp: '2015-05-01', availability: '85.807018', reliability: '91.29629600000001' }],
            },
          ],
        },
      ),
    },
  },
  'options /api/v2/results/{report}/{type}': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v3/results/{report}/id/{id}': {
    answers: {
      200: answer(
        {
          id: 'text',
          endpoints: [
            {
              name: 'text',
              service: 'text',
              supergroup: 'text',
              'info?': { '*': 'text' },
              results: [{ date: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' }],
            },
          ],
        },
        {
          id: 'id-1',
          endpoints: [
            {
              name: 'h1',
              service: 'web',
              supergroup: 'SITE-A',
              info: { ID: 'id-1', URL: 'https://h1/<a>' },
              results: [{ date: '2015-05-01', availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' }],
            },
          ],
        },
      ),
    },
  },
  'options /api/v3/results/{report}/id/{id}': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/results/{report}/{type}/{group}': {
    answers: {
      200: answer(
        { results: [SERVICE_FLAVOR_RESULTS] },
        {
          results: [
            {
              name: 'NGI-1',
              type: 'NGI',
              endpoints: [
                {
                  name: 'SITE-B',
                  type: 'SITES',
                  results: [
                    {
                      timestamp: '2015-04-30',
                      availability: '100',
                      reliability: '100',
                      unknown: '0.95833',
                      uptime: '0.04167',
                      downtime: '0',
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{type}/{group}/services': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  results: [
                    { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'V14',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'one',
                  type: 'service',
                  results: [
                    {
                      timestamp: '2016-02-29',
                      availability: '54.03509',
                      reliability: '81.48148',
                      unknown: '0.01042',
                      uptime: '0.53472',
                      downtime: '0.33333',
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{type}/{group}/endpoints': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}': {
    answers: {
      200: answer(
        { results: [GROUP_TIMELINE] },
        {
          results: [
            {
              name: 'NGI-1',
              type: 'NGI',
              endpoints: [
                {
                  name: 'SITE-A',
                  type: 'SITES',
                  results: [
                    {
                      timestamp: '2015-04-30',
                      availability: '100',
                      reliability: '100',
                      unknown: '0.95833',
                      uptime: '0.04167',
                      downtime: '0',
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{type}/{group}/services/{service}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  results: [
                    { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  results: [
                    { timestamp: '2015-05-01', availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{type}/{group}/endpoints/{endpoint}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{type}/{group}/services/{service}/endpoints': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}': {
    answers: {
      200: answer(
        { results: [GROUP_TIMELINE] },
        {
          results: [
            {
              name: 'NGI-2',
              type: 'NGI',
              endpoints: [
                {
                  name: 'SITE-B',
                  type: 'SITES',
                  results: [
                    {
                      timestamp: '2015-04-30',
                      availability: '100',
                      reliability: '100',
                      unknown: '0.95833',
                      uptime: '0.04167',
                      downtime: '0',
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/services': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  results: [
                    { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  results: [
                    { timestamp: '2015-05-01', availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/endpoints': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{type}/{group}/services/{service}/endpoints/{endpoint}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'options /api/v2/results/{report}/{type}/{group}/services/{service}/endpoints/{endpoint}': {
    answers: { 200: { type: 'text/plain' } },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/services/{service}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  results: [
                    { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  results: [
                    { timestamp: '2015-05-01', availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/endpoints/{endpoint}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/services/{service}/endpoints': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/services/{service}/endpoints/{endpoint}': {
    answers: {
      200: answer(
        {
          results: [
            {
              name: 'text',
              type: 'text',
              serviceflavors: [
                {
                  name: 'text',
                  type: 'text',
                  endpoints: [
                    {
                      name: 'text',
                      type: 'text',
                      'info?': { '*': 'text' },
                      results: [
                        { timestamp: 'text', availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
        {
          results: [
            {
              name: 'SITE-A',
              type: 'SITES',
              serviceflavors: [
                {
                  name: 'web',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'h1',
                      type: 'endpoint',
                      info: { ID: 'id-1', URL: 'https://h1/<a>' },
                      results: [
                        {
                          timestamp: '2015-05-01',
                          availability: '93.75',
                          reliability: '93.75',
                          unknown: '0',
                          uptime: '0.9375',
                          downtime: '0',
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
};
