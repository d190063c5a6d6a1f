import { WIDE } from '#api/status/answers/xml.js';
import { envelopeOf, shownOf, showsOne } from '#api/status/openapi/envelopes.js';
import { rootOf, showsInXmlToo } from '#api/status/openapi/in-xml.js';
import { INFO, JUDGEMENT, STATUS_VALUE } from '#api/status/openapi/statuses.js';
import { component, doc } from '#domain/shared/shape.js';

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
).shownAs({
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
});

const RESULT_XML = {
  name: 'status',
  attributes: { timestamp: '2026-03-01T07:30:00Z', value: 'OK' },
  content: [
    { name: 'summary', content: 'fine' },
    { name: 'message', content: '200 in 31 ms' },
  ],
};
export const SHOWS_HOST_RESULTS = showsInXmlToo(HOST_RESULTS, {
  example: rootOf(WIDE, {
    name: 'host',
    attributes: { name: 'web.example.org' },
    content: [{ name: 'metric', attributes: { name: 'http', service: 'web' }, content: [RESULT_XML] }],
  }),
});

const POINT = shownOf('StatusLatestPoint', {
  endpoint_group: ['text', 'SITE-A'],
  service: ['text', 'web'],
  endpoint: ['text', 'web.example.org'],
  metric: ['text', 'http'],
  timestamp: ['instant', '2026-03-01T07:30:00Z'],
  status: [STATUS_VALUE, 'OK'],
  'summary?': ['text'],
  'message?': ['text'],
});
export const NEWEST = showsOne(envelopeOf('StatusLatestMetricData', { metric_data: [POINT] }), { metric_data: [POINT.example] });

export const ENDPOINT_ISSUE = shownOf('StatusEndpointIssue', {
  timestamp: ['instant', '2026-03-01T07:30:00Z'],
  endpoint_group: ['text', 'SITE-A'],
  service: ['text', 'web'],
  endpoint: ['text', 'web.example.org'],
  status: [STATUS_VALUE, 'CRITICAL'],
  'info?': [INFO],
});
export const METRIC_ISSUE = shownOf('StatusMetricIssue', {
  service: ['text', 'web'],
  hostname: ['text', 'web.example.org'],
  metric: ['text', 'http'],
  status: [STATUS_VALUE, 'CRITICAL'],
  'info?': [INFO],
});
