import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { ENDPOINT_TIMELINE, FLAT_ENDPOINT_TIMELINE, GROUP_TIMELINE, GROUP_WITH_SERVICES, METRIC_TIMELINE } from './components.js';

export const TIMELINES_ANSWERS: Catalogue = {
  'get /api/v2/status/{report}/endpoints': {
    answers: {
      200: answer(
        { endpoints: [FLAT_ENDPOINT_TIMELINE], 'nextPageToken?': 'text', 'pageSize?': 'integer' },
        {
          endpoints: [
            { name: 'h2', service: 'CE', supergroup: 'SITE-A', statuses: [{ timestamp: '2015-05-01T05:00:00Z', value: 'WARNING' }] },
          ],
          pageSize: 1000000000,
        },
      ),
    },
  },
  'get /api/v3/status/{report}': {
    answers: {
      200: answer(
        { groups: [GROUP_TIMELINE] },
        {
          groups: [
            {
              name: 'SITE-A',
              type: 'SITES',
              statuses: [{ timestamp: '2026-11-21T07:53:11Z', value: 'MISSING' }],
              endpoints: [
                {
                  hostname: 'h1',
                  service: 'CE',
                  info: { ID: '7', URL: 'u' },
                  statuses: [{ timestamp: '2026-11-21T07:53:11Z', value: 'MISSING' }],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/metrics/{metric}': {
    answers: {
      200: answer(
        { endpoint_metrics: [METRIC_TIMELINE], 'pageSize?': 'integer', 'nextPageToken?': 'text' },
        {
          endpoint_metrics: [
            {
              name: 'h1',
              service: 'SE',
              supergroup: 'SITE-A',
              metric: 'load',
              statuses: [{ timestamp: '2015-04-30T23:00:00Z', value: 'OK' }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}': {
    answers: {
      200: answer(
        { groups: [GROUP_TIMELINE] },
        { groups: [{ name: 'SITE-A', type: 'SITES', statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK' }] }] },
      ),
    },
  },
  'get /api/v3/status/{report}/id/{id}': {
    answers: {
      200: answer(
        { id: 'text', endpoints: [ENDPOINT_TIMELINE] },
        {
          id: '7',
          endpoints: [
            {
              hostname: 'h1',
              service: 'CE',
              group: 'SITE-A',
              info: { ID: '7', URL: 'u' },
              statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK' }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}': {
    answers: {
      200: answer(
        { groups: [GROUP_TIMELINE] },
        {
          groups: [
            {
              name: 'SITE-A',
              type: 'SITES',
              statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK', affected_by_threshold_rule: true }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}/services': {
    answers: {
      200: answer(
        { groups: [GROUP_WITH_SERVICES] },
        {
          groups: [
            {
              name: 'SITE-A',
              type: 'SITES',
              services: [{ name: 'CE', type: 'service', statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK' }] }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}/endpoints': {
    answers: { 200: answer({ groups: [GROUP_WITH_SERVICES] }, { groups: [] }) },
  },
  'get /api/v2/status/{report}/{type}/{group}/services/{service}': {
    answers: {
      200: answer(
        { groups: [GROUP_WITH_SERVICES] },
        {
          groups: [
            {
              name: 'SITE-A',
              type: 'SITES',
              services: [{ name: 'CE', type: 'service', statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK' }] }],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}/services/{service}/endpoints': {
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
                  endpoints: [{ name: 'h1', info: { ID: '7', URL: 'u' }, statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK' }] }],
                },
              ],
            },
          ],
        },
      ),
    },
  },
  'get /api/v2/status/{report}/{type}/{group}/services/{service}/endpoints/{endpoint}': {
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
                  endpoints: [{ name: 'h1', info: { ID: '7', URL: 'u' }, statuses: [{ timestamp: '2015-05-01T00:00:00Z', value: 'OK' }] }],
                },
              ],
            },
          ],
        },
      ),
    },
  },
};
