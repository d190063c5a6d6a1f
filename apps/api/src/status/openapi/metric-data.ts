import { type Answers, answer } from '#api/shared/openapi/described.js';

import { component, doc, type Shape } from '#api/shared/openapi/shape.js';
import { envelopeOf, shows } from './envelopes.js';

/** Details of an endpoint, from its tags. */
export const INFO: Shape = { '*': 'text' };
export const STATUS_VALUE = doc('text', 'such as `OK`, `WARNING`, `CRITICAL`');
/** What thresholds did to a status. */
export const JUDGEMENT = {
  'actual_data?': doc('text', 'performance data'),
  'threshold_rule_applied?': 'text',
  'original_status?': doc('text', 'before the rule was applied'),
} as const;

export const NEW_RESULT = component(
  'StatusNewMetricResult',
  {
    timestamp: 'instant',
    service: doc('text', 'may be empty'),
    'host?': doc('text', 'host name: this or `hostname` is needed'),
    'hostname?': doc('text', 'counts where there is no `host`'),
    metric: doc('text', 'name of the metric', { minLength: 1 }),
    status: doc(STATUS_VALUE, 'such as `OK`', { minLength: 1 }),
    'report?': doc('text', 'name of a report; default: for every report'),
    'endpoint_group?': 'text',
    'monitoring_host?': 'text',
    'summary?': 'text',
    'message?': 'text',
    'previous_timestamp?': 'instant',
    'previous_state?': 'text',
    'info?': INFO,
    ...JUDGEMENT,
  },
  'status contract 13.1',
);

const DETAILS = component('StatusMetricResultDetails', {
  Timestamp: 'instant',
  Value: STATUS_VALUE,
  Summary: 'text',
  Message: 'text',
  ...JUDGEMENT,
});
const HOST_RESULTS = component(
  'StatusHostMetricResults',
  {
    root: [
      {
        Name: doc('text', 'host name'),
        'info?': INFO,
        Metrics: [{ Name: 'text', 'Service?': 'text', Details: [DETAILS] }],
      },
    ],
  },
  'status contract 13.3',
);
export const RESULTS: Readonly<{ answers: Answers }> = {
  answers: {
    200: answer(HOST_RESULTS, {
      root: [
        {
          Name: 'web.example.org',
          info: { URL: 'https://web.example.org' },
          Metrics: [
            {
              Name: 'http',
              Service: 'web',
              Details: [{ Timestamp: '2026-03-01T07:30:00Z', Value: 'OK', Summary: 'fine', Message: '200 in 31 ms' }],
            },
          ],
        },
      ],
    }),
  },
};

const LATEST = envelopeOf('StatusLatestMetricData', {
  metric_data: [
    component('StatusLatestPoint', {
      endpoint_group: 'text',
      service: 'text',
      endpoint: 'text',
      metric: 'text',
      timestamp: 'instant',
      status: STATUS_VALUE,
      'summary?': 'text',
      'message?': 'text',
    }),
  ],
});
export const NEWEST: Readonly<{ answers: Answers }> = {
  answers: shows(LATEST, {
    metric_data: [
      {
        endpoint_group: 'SITE-A',
        service: 'web',
        endpoint: 'web.example.org',
        metric: 'http',
        timestamp: '2026-03-01T07:30:00Z',
        status: 'OK',
      },
    ],
  }),
};

export const ENDPOINT_ISSUE = component('StatusEndpointIssue', {
  timestamp: 'instant',
  endpoint_group: 'text',
  service: 'text',
  endpoint: 'text',
  status: STATUS_VALUE,
  'info?': INFO,
});
export const METRIC_ISSUE = component('StatusMetricIssue', {
  service: 'text',
  hostname: 'text',
  metric: 'text',
  status: STATUS_VALUE,
  'info?': INFO,
});
