import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { METRIC, USAGE_REPORT } from './components.js';

export const METRICS_ANSWERS: Catalogue = {
  'get /v1/metrics': {
    answers: {
      200: answer(
        { metrics: [METRIC] },
        {
          metrics: [
            {
              metric: 'ams_node.cpu_usage',
              metric_type: 'percentage',
              value_type: 'float64',
              resource_type: 'ams_node',
              resource_name: 'vm',
              timeseries: [{ timestamp: '2026-11-21T07:59:48Z', value: 14.159019794267822 }],
              description: 'Percentage value that displays the CPU usage of ams service in the specific node',
            },
          ],
        },
      ),
    },
  },
  'get /v1/metrics/va_metrics': {
    answers: {
      200: answer(USAGE_REPORT, {
        projects_metrics: {
          projects: [
            { project: 'first', message_count: 7, average_daily_messages: 0.01, topics_count: 2, subscriptions_count: 1, users_count: 1 },
          ],
          total_message_count: 10,
          average_daily_messages: 0.02,
        },
        total_users_count: 3,
        total_topics_count: 4,
        total_subscriptions_count: 2,
      }),
    },
  },
  'get /v1/users/usageReport': {
    answers: {
      200: answer(
        { va_metrics: USAGE_REPORT, operational_metrics: { metrics: [METRIC] } },
        {
          va_metrics: {
            projects_metrics: { projects: [], total_message_count: 0, average_daily_messages: 0 },
            total_users_count: 0,
            total_topics_count: 0,
            total_subscriptions_count: 0,
          },
          operational_metrics: {
            metrics: [
              {
                metric: 'ams_node.cpu_usage',
                metric_type: 'percentage',
                value_type: 'float64',
                resource_type: 'ams_node',
                resource_name: 'vm',
                timeseries: [{ timestamp: '2026-11-21T08:14:05Z', value: 18.250985979866694 }],
                description: 'Percentage value that displays the CPU usage of ams service in the specific node',
              },
            ],
          },
        },
      ),
    },
  },
  'get /v1/projects/{project}:metrics': {
    answers: {
      200: answer(
        { metrics: [METRIC] },
        {
          metrics: [
            {
              metric: 'project.number_of_topics',
              metric_type: 'counter',
              value_type: 'int64',
              resource_type: 'project',
              resource_name: 'p',
              timeseries: [{ timestamp: '2026-11-21T07:59:05Z', value: 0 }],
              description: 'Counter that displays the number of topics belonging to the specific project',
            },
          ],
        },
      ),
    },
  },
  'get /v1/projects/{project}/topics/{topic}:metrics': {
    answers: { 200: answer({ metrics: [METRIC] }, {}) },
  },
  'get /v1/projects/{project}/subscriptions/{subscription}:metrics': {
    answers: {
      200: answer(
        { metrics: [METRIC] },
        {
          metrics: [
            {
              metric: 'subscription.number_of_messages',
              metric_type: 'counter',
              value_type: 'int64',
              resource_type: 'subscription',
              resource_name: 'acl-consumer',
              timeseries: [{ timestamp: '2026-11-21T07:59:47Z', value: 0 }],
              description: 'Counter that displays the number of messages consumed from the specific subscription',
            },
          ],
        },
      ),
    },
  },
};
