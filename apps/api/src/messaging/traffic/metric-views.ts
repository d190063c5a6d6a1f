import type { DayCount } from '#projections/messaging/traffic/queries.js';

/** A value at a time; of daily counters the time is a day. */
export type MetricPoint = Readonly<{ timestamp: string; value: number }>;

/** A metric as responses show it, members in the order of the wire (messaging contract 3.9). */
export type MetricView = Readonly<{
  metric: string;
  metric_type: 'counter' | 'rate' | 'percentage';
  value_type: 'int64' | 'float64';
  resource_type: string;
  resource_name: string;
  timeseries: readonly MetricPoint[];
  description: string;
}>;

/** Makes a metric of a resource. */
type Metric = (resource_name: string, ...timeseries: readonly MetricPoint[]) => MetricView;

const metric =
  (metric_type: MetricView['metric_type'], resource_type: string, name: string, description: string): Metric =>
  (resource_name, ...timeseries) => ({
    metric: `${resource_type}.${name}`,
    metric_type,
    value_type: metric_type === 'counter' ? 'int64' : 'float64',
    resource_type,
    resource_name,
    timeseries,
    description,
  });

/** Every metric there is. */
export const metrics = {
  topicsOfProject: metric(
    'counter',
    'project',
    'number_of_topics',
    'Counter that displays the number of topics belonging to the specific project',
  ),
  subscriptionsOfProject: metric(
    'counter',
    'project',
    'number_of_subscriptions',
    'Counter that displays the number of subscriptions belonging to the specific project',
  ),
  topicsOfMember: metric(
    'counter',
    'project.user',
    'number_of_topics',
    'Counter that displays the number of topics that a user has access to the specific project',
  ),
  subscriptionsOfMember: metric(
    'counter',
    'project.user',
    'number_of_subscriptions',
    'Counter that displays the number of subscriptions that a user has access to the specific project',
  ),
  dailyMessagesOfProject: metric(
    'counter',
    'project',
    'number_of_daily_messages',
    "A collection of counters that represents the total number of messages published each day to all of the project's topics",
  ),
  subscriptionsOfTopic: metric(
    'counter',
    'topic',
    'number_of_subscriptions',
    'Counter that displays the number of subscriptions belonging to a specific topic',
  ),
  messagesOfTopic: metric(
    'counter',
    'topic',
    'number_of_messages',
    'Counter that displays the number of messages published to the specific topic',
  ),
  bytesOfTopic: metric(
    'counter',
    'topic',
    'number_of_bytes',
    'Counter that displays the total size of data (in bytes) published to the specific topic',
  ),
  dailyMessagesOfTopic: metric(
    'counter',
    'topic',
    'number_of_daily_messages',
    'A collection of counters that represents the total number of messages published each day to a specific topic',
  ),
  publishingRate: metric(
    'rate',
    'topic',
    'publishing_rate',
    'A rate that displays how many messages were published per second between the last two publish events',
  ),
  messagesOfSubscription: metric(
    'counter',
    'subscription',
    'number_of_messages',
    'Counter that displays the number of messages consumed from the specific subscription',
  ),
  bytesOfSubscription: metric(
    'counter',
    'subscription',
    'number_of_bytes',
    'Counter that displays the total size of data (in bytes) consumed from the specific subscription',
  ),
  consumptionRate: metric(
    'rate',
    'subscription',
    'consumption_rate',
    'A rate that displays how many messages were consumed per second between the last two consume events',
  ),
  cpuUsage: metric(
    'percentage',
    'ams_node',
    'cpu_usage',
    'Percentage value that displays the CPU usage of ams service in the specific node',
  ),
  memoryUsage: metric(
    'percentage',
    'ams_node',
    'memory_usage',
    'Percentage value that displays the Memory usage of ams service in the specific node',
  ),
} as const;

/** Daily counters; the time of each is its day. */
export const dailyPoints = (days: readonly DayCount[]): readonly MetricPoint[] =>
  days.map(({ day, count }) => ({ timestamp: day, value: count }));

/** When something happened last that never has. */
export const NEVER = '0001-01-01T00:00:00Z';
