import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { doc, oneOf } from '#api/shared/openapi/shape.js';
import { ACCOUNTS } from './accounts.js';
import { METRICS, USAGE_REPORT, VERSION } from './components.js';
import { CPU_USAGE, USAGE_REPORT as USAGE } from './examples.js';
import { RESOURCES } from './resources.js';

const counter = (metric: string, resource_type: string, resource_name: string, description: string): object => ({
  metrics: [
    {
      metric,
      metric_type: 'counter',
      value_type: 'int64',
      resource_type,
      resource_name,
      timeseries: [{ timestamp: '2026-03-01T12:00:00Z', value: 4 }],
      description,
    },
  ],
});

const SERVICE: Catalogue = {
  'get /v1/metrics': { answers: { 200: answer(METRICS, { metrics: [CPU_USAGE] }) } },
  'get /v1/metrics/va_metrics': { answers: { 200: answer(USAGE_REPORT, USAGE) } },
  'get /v1/users/usageReport': {
    answers: {
      200: answer(
        { va_metrics: USAGE_REPORT, operational_metrics: METRICS },
        { va_metrics: USAGE, operational_metrics: { metrics: [CPU_USAGE] } },
      ),
    },
  },
  'get /v1/projects/{project}:metrics': {
    answers: {
      200: answer(
        METRICS,
        counter(
          'project.number_of_topics',
          'project',
          'EGI',
          'Counter that displays the number of topics belonging to the specific project',
        ),
      ),
    },
  },
  'get /v1/projects/{project}/topics/{topic}:metrics': {
    answers: {
      200: answer(
        METRICS,
        counter(
          'topic.number_of_messages',
          'topic',
          'news',
          'Counter that displays the number of messages published to the specific topic',
        ),
      ),
    },
  },
  'get /v1/projects/{project}/subscriptions/{subscription}:metrics': {
    answers: {
      200: answer(
        METRICS,
        counter(
          'subscription.number_of_messages',
          'subscription',
          'reader',
          'Counter that displays the number of messages consumed from the specific subscription',
        ),
      ),
    },
  },
  'get /v1/status': {
    answers: {
      200: answer(
        {
          status: doc(oneOf('ok', 'warning'), '`warning`: messages cannot be pushed'),
          'push_servers?': [{ endpoint: 'text', status: doc('text', '`SERVING`, or what is wrong') }],
          'push_functionality?': oneOf('disabled'),
        },
        { status: 'ok', push_servers: [{ endpoint: '127.0.0.1:34905', status: 'SERVING' }] },
      ),
    },
  },
  'get /v1/version': {
    answers: {
      200: answer(VERSION, {
        build_time: '2026-03-01T12:00:00Z',
        golang: 'v20.20.2',
        compiler: 'node',
        os: 'linux',
        architecture: 'x64',
        release: '0.1.0',
        distro: 'Debian GNU/Linux 13 (trixie)',
        hostname: 'logbook.example.org',
      }),
    },
  },
};

export const MESSAGING_CATALOGUE: Catalogue = { ...ACCOUNTS, ...RESOURCES, ...SERVICE };
