import type { METRIC } from '#api/messaging/openapi/components.js';
import type { Static } from '#domain/shared/shape.js';
import type { DayCount } from '#projections/messaging/traffic/queries.js';

export type MetricView = Static<typeof METRIC>;
type MetricPoint = MetricView['timeseries'][number];
type Resource = MetricView['resource_type'];

type Metric = (resource_name: string, ...timeseries: readonly MetricPoint[]) => MetricView;

const metric =
  (metric_type: MetricView['metric_type'], resource_type: Resource, name: string, description: string): Metric =>
  (resource_name, ...timeseries) => ({
    metric: `${resource_type}.${name}`,
    metric_type,
    value_type: metric_type === 'counter' ? 'int64' : 'float64',
    resource_type,
    resource_name,
    timeseries,
    description,
  });

const counterOf = (resource: Resource) => (name: string, displayed: string) =>
  metric('counter', resource, name, `Counter that displays the ${displayed}`);
const dailyMessagesOf = (resource: Resource, topics: string) =>
  metric(
    'counter',
    resource,
    'number_of_daily_messages',
    `A collection of counters that represents the total number of messages published each day to ${topics}`,
  );
const rateOf = (resource: Resource, name: string, happened: string, happenings: string) =>
  metric(
    'rate',
    resource,
    name,
    `A rate that displays how many messages were ${happened} per second between the last two ${happenings} events`,
  );
const usageOf = (name: string, used: string) =>
  metric('percentage', 'ams_node', name, `Percentage value that displays the ${used} usage of ams service in the specific node`);

const ofProject = counterOf('project');
const ofMember = counterOf('project.user');
const ofTopic = counterOf('topic');
const ofSubscription = counterOf('subscription');

export const metrics = {
  topicsOfProject: ofProject('number_of_topics', 'number of topics belonging to the specific project'),
  subscriptionsOfProject: ofProject('number_of_subscriptions', 'number of subscriptions belonging to the specific project'),
  topicsOfMember: ofMember('number_of_topics', 'number of topics that a user has access to the specific project'),
  subscriptionsOfMember: ofMember('number_of_subscriptions', 'number of subscriptions that a user has access to the specific project'),
  dailyMessagesOfProject: dailyMessagesOf('project', "all of the project's topics"),
  subscriptionsOfTopic: ofTopic('number_of_subscriptions', 'number of subscriptions belonging to a specific topic'),
  messagesOfTopic: ofTopic('number_of_messages', 'number of messages published to the specific topic'),
  bytesOfTopic: ofTopic('number_of_bytes', 'total size of data (in bytes) published to the specific topic'),
  dailyMessagesOfTopic: dailyMessagesOf('topic', 'a specific topic'),
  publishingRate: rateOf('topic', 'publishing_rate', 'published', 'publish'),
  messagesOfSubscription: ofSubscription('number_of_messages', 'number of messages consumed from the specific subscription'),
  bytesOfSubscription: ofSubscription('number_of_bytes', 'total size of data (in bytes) consumed from the specific subscription'),
  consumptionRate: rateOf('subscription', 'consumption_rate', 'consumed', 'consume'),
  cpuUsage: usageOf('cpu_usage', 'CPU'),
  memoryUsage: usageOf('memory_usage', 'Memory'),
} as const;

/** Daily counters; the time of each is its day. */
export const dailyPoints = (days: readonly DayCount[]): readonly MetricPoint[] =>
  days.map(({ day, count }) => ({ timestamp: day, value: count }));

/** Time of an event that has never happened. */
export const NEVER = '0001-01-01T00:00:00Z';
