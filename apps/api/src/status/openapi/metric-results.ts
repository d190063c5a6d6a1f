import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { GROUP_WITH_SERVICES, ISSUE, LATEST_RESULT, METRIC_DATA_ITEM, METRIC_RESULT } from './components.js';
import { listOf, MESSAGE, one } from './envelopes.js';

export const METRICRESULTS_ANSWERS: Catalogue = {
  'post /api/v2/metric_data': {
    answers: { 201: answer(MESSAGE, { status: { message: '2500 metric results stored', code: '201' } }) },
    body: [{ timestamp: '2015-04-30T23:00:00Z', service: 'CE', host: 'h1', metric: 'ping', status: 'OK' }],
  },
  'get /api/v2/metric_result/{hostname}': {
    answers: {
      200: answer(
        { root: [{ Name: 'text', Metrics: [METRIC_RESULT], 'info?': { '*': 'text' } }] },
        {
          root: [
            {
              Name: 'h1',
              Metrics: [
                { Name: 'ping', Service: 'CE', Details: [{ Timestamp: '2015-05-01T00:00:00Z', Value: 'OK', Summary: '', Message: '' }] },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/issues/{report}/endpoints': {
    answers: {
      200: answer(listOf(ISSUE), {
        status: { message: 'Success', code: '200' },
        data: [{ timestamp: '2015-05-01T10:00:00Z', endpoint_group: 'SITE-B', service: 'web', endpoint: 'e1', status: 'UNKNOWN' }],
      }),
    },
  },
  'get /api/v2/metric_result/{hostname}/{metric}': {
    answers: {
      200: answer(
        { root: [{ Name: 'text', Metrics: [METRIC_RESULT] }] },
        {
          root: [
            {
              Name: 'single',
              Metrics: [
                { Name: 'ping', Service: 'CE', Details: [{ Timestamp: '2015-05-01T10:00:00Z', Value: 'OK', Summary: '', Message: '' }] },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/latest/{report}/{type}': {
    answers: {
      200: answer(one({ metric_data: [METRIC_DATA_ITEM] }), {
        status: { message: 'Success', code: '200' },
        data: {
          metric_data: [
            { endpoint_group: 'SITE-A', service: 'CE', endpoint: 'h3', metric: 'ping', timestamp: '2015-05-01T00:41:39Z', status: 'OK' },
          ],
        },
      }),
    },
  },
  'get /api/v2/issues/{report}/groups/{group}/metrics': {
    answers: {
      200: answer(listOf(LATEST_RESULT), {
        status: { message: 'Success', code: '200' },
        data: [{ service: 'CE', hostname: 'h1', metric: 'c', status: 'critical' }],
      }),
    },
  },
  'get /api/v2/latest/{report}/{type}/{group}': {
    answers: {
      200: answer(one({ metric_data: [METRIC_DATA_ITEM] }), {
        status: { message: 'Success', code: '200' },
        data: {
          metric_data: [
            { endpoint_group: 'SITE-A', service: 'CE', endpoint: 'h3', metric: 'ping', timestamp: '2015-05-01T09:00:00Z', status: 'OK' },
          ],
        },
      }),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}/services/{service}/endpoints/{endpoint}/metrics': {
    answers: {
      200: answer(
        { groups: [GROUP_WITH_SERVICES] },
        {
          groups: [
            {
              name: 'SITE-A',
              type: 'SITES',
              services: [
                {
                  name: 'CE',
                  type: 'service',
                  endpoints: [
                    { name: 'h1', metrics: [{ name: 'ping', statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'MISSING' }] }] },
                  ],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}/services/{service}/endpoints/{endpoint}/metrics/{metric}': {
    answers: {
      200: answer(
        { groups: [GROUP_WITH_SERVICES] },
        {
          groups: [
            {
              name: 'SITE-A',
              type: 'SITES',
              services: [
                {
                  name: 'CE',
                  type: 'service',
                  endpoints: [
                    {
                      name: 'order',
                      info: { URL: 'u' },
                      metrics: [{ name: 'a', statuses: [{ timestamp: '2015-04-30T23:00:00Z', value: 'WARNING' }] }],
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
