import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { FLAT_ENDPOINT_RESULTS, GROUP_OF_FLAVORS, GROUP_RESULTS, GROUP_TIMELINE, SERVICE_FLAVOR_RESULTS } from './components.js';

export const RESULTS_ANSWERS: Catalogue = {
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
  'get /api/v3/results/{report}': {
    answers: {
      200: answer(
        { results: [GROUP_RESULTS] },
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
  'get /api/v3/results/{report}/id/{id}': {
    answers: {
      200: answer(
        { id: 'text', endpoints: [FLAT_ENDPOINT_RESULTS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
  'get /api/v2/results/{report}/{groupType}/{supergroup}/{type}/{group}/services/{service}': {
    answers: {
      200: answer(
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
        { results: [GROUP_OF_FLAVORS] },
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
