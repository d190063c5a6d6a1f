import { ApiError, get, pathOf } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { headOfLog, inTurns } from '../as-of.js';

type Metrics = AnswerOf<'/v1/projects/{project}:metrics'>;
export type Subscription = AnswerOf<'/v1/projects/{project}/subscriptions'>['subscriptions'][number];

/** `lastHour`: messages published, or handed out. */
export type TopicRow = Readonly<{
  name: string;
  messages: number;
  bytes: number;
  subscriptions: number;
  lastHour: number;
  published: string | null;
}>;
export type SubscriptionRow = Readonly<{
  name: string;
  topic: string;
  lastHour: number;
  /** Messages that are not acknowledged; at most so many where they are acknowledged one by one. */
  backlog: number;
  oneByOne: boolean;
  /** When the oldest of them was published; `null`: there is none, or it is not known. */
  oldest: string | null;
  push: string;
  pushed: boolean;
  /** Topic to which messages go that nobody could take; `null`: they stay. */
  deadLetterTopic: string | null;
}>;

const HOUR = 3_600_000;
/** Records of a project that are shown at a time. */
export const MOST = 100;

const newest = ({ metrics }: Metrics, name: string): Readonly<{ timestamp: string; value: number }> | undefined =>
  metrics.find(({ metric }) => metric === name)?.timeseries[0];

const countIn = (metrics: Metrics | undefined, name: string): number => (metrics && newest(metrics, name)?.value) || 0;

export const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const NEVER = '0001-01-01T00:00:00Z';

/** What did not exist then has nothing. */
const orNothing = (error: unknown): undefined => {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
};

type Moments = Readonly<{ now: string; before: string; signal: AbortSignal }>;

/** The head of the log, and an hour before. */
export const momentsOf = async (signal: AbortSignal): Promise<Moments> => ({
  now: await headOfLog(signal),
  before: new Date(Date.now() - HOUR).toISOString(),
  signal,
});

const metricsAt = (path: string, asOf: string, signal: AbortSignal): Promise<Metrics | undefined> =>
  get<Metrics>(`${path}:metrics`, {}, { asOf, signal }).catch(orNothing);

const inHour = (name: string, now: Metrics | undefined, before: Metrics | undefined): number =>
  Math.max(0, countIn(now, name) - countIn(before, name));

export const topicPath = (project: string, topic: string): string => pathOf('/v1/projects', project, 'topics', topic);

/** @throws ApiError */
export const loadTopics = async (project: string, { now, before, signal }: Moments): Promise<readonly TopicRow[]> => {
  const path = pathOf('/v1/projects', project, 'topics');
  const { topics } = await get<AnswerOf<'/v1/projects/{project}/topics'>>(path, { pageSize: MOST }, { asOf: now, signal });
  return inTurns(topics, async ({ name: full }) => {
    const name = shortName(full);
    const [current, earlier] = await Promise.all([now, before].map((asOf) => metricsAt(topicPath(project, name), asOf, signal)));
    const published = current && newest(current, 'topic.publishing_rate')?.timestamp;
    return {
      name,
      messages: countIn(current, 'topic.number_of_messages'),
      bytes: countIn(current, 'topic.number_of_bytes'),
      subscriptions: countIn(current, 'topic.number_of_subscriptions'),
      lastHour: inHour('topic.number_of_messages', current, earlier),
      published: published && published !== NEVER ? published : null,
    };
  });
};

type Page = AnswerOf<'/audit/streams/{streamName}'>;

/** When the message at an offset was published: of its event. `undefined`: the topic is gone, or the message has expired. */
const publishedAt = async (topicId: string, offset: number, signal: AbortSignal): Promise<string | undefined> => {
  const stream = `messaging.messages-${topicId}`;
  const query = { limit: 1, ...(offset > 0 && { after: offset - 1 }) };
  const found = await get<Page>(pathOf('/audit/streams', stream), query, { signal }).catch(orNothing);
  const [event] = found?.items ?? [];
  return event && 'time' in event ? event.time : undefined;
};

/** Ids of topics, asked for once. */
const topicIds = (project: string, signal: AbortSignal): ((topic: string) => Promise<string | undefined>) => {
  const known = new Map<string, Promise<string | undefined>>();
  const ask = async (topic: string): Promise<string | undefined> => {
    const path = pathOf('/audit/resources/messaging/topic', topic);
    const found = await get<AnswerOf<'/audit/resources/{service}/{kind}/{id}'>>(path, { scope: project, limit: 1 }, { signal }).catch(
      orNothing,
    );
    return found?.resource.id;
  };
  return (topic) => {
    const asked = known.get(topic) ?? ask(topic);
    known.set(topic, asked);
    return asked;
  };
};

const pushOf = ({ pushConfig: { type, verified }, pushStatus }: Subscription): string => {
  if (type === '') return 'pull';
  return pushStatus ?? (verified ? 'push' : 'push, not verified');
};

/** @throws ApiError */
export const loadSubscriptions = async (project: string, { now, before, signal }: Moments): Promise<readonly SubscriptionRow[]> => {
  const path = pathOf('/v1/projects', project, 'subscriptions');
  const { subscriptions } = await get<AnswerOf<'/v1/projects/{project}/subscriptions'>>(path, { pageSize: MOST }, { asOf: now, signal });
  const idOf = topicIds(project, signal);
  return inTurns(subscriptions, async (listed) => {
    const [name, topic] = [shortName(listed.name), shortName(listed.topic)];
    const own = pathOf(path, name);
    const isPushed = listed.pushConfig.type !== '';
    const [current, earlier, offsets, shown] = await Promise.all([
      metricsAt(own, now, signal),
      metricsAt(own, before, signal),
      get<AnswerOf<'/v1/projects/{project}/subscriptions/{subscription}:offsets'>>(`${own}:offsets`, {}, { asOf: now, signal }),
      isPushed ? get<Subscription>(own, {}, { asOf: now, signal }) : listed,
    ]);
    const backlog = Math.max(0, offsets.max - Math.max(offsets.min, offsets.current));
    const id = backlog > 0 ? await idOf(topic) : undefined;
    const oldest = id === undefined ? undefined : await publishedAt(id, Math.max(offsets.min, offsets.current), signal);
    return {
      name,
      topic,
      backlog,
      oneByOne: listed.ackMode === 'message',
      oldest: oldest ?? null,
      lastHour: inHour('subscription.number_of_messages', current, earlier),
      push: pushOf(shown),
      pushed: isPushed,
      deadLetterTopic: listed.deadLetterPolicy ? shortName(listed.deadLetterPolicy.deadLetterTopic) : null,
    };
  });
};

/** Points of the picture of the last hour. */
const STEPS = 12;

/** Messages published to a topic in each five minutes of the last hour. `times`: seconds, at which the spans begin. @throws ApiError */
export const loadRates = async (project: string, topic: string, signal: AbortSignal) => {
  const end = Date.now();
  const times = Array.from({ length: STEPS + 1 }, (_, at) => end - HOUR + (at * HOUR) / STEPS);
  const now = await headOfLog(signal);
  const counts = await inTurns(times, async (at) => {
    const asOf = at === end ? now : new Date(at).toISOString();
    return countIn(await metricsAt(topicPath(project, topic), asOf, signal), 'topic.number_of_messages');
  });
  return {
    times: times.slice(0, -1).map((at) => Math.round(at / 1_000)),
    published: counts.slice(1).map((value, at) => Math.max(0, value - (counts[at] ?? 0))),
  };
};

type Source = AnswerOf<'/api/v2/admin/tenants/{id}/metric-source'>['data'][number];

/** Messages that a tenant could not take from its subscription. */
export type DeadLetters = Readonly<{ tenant: string; source: Source }>;

/** Where metric data of tenants come from a subscription of the project. @throws ApiError */
export const loadDeadLetters = async (project: string, { now, signal }: Moments): Promise<readonly DeadLetters[]> => {
  const tenants = await get<AnswerOf<'/api/v2/admin/tenants'>>('/api/v2/admin/tenants', {}, { asOf: now, signal });
  const sources = await inTurns(tenants.data, async ({ id, info }) => {
    const path = pathOf('/api/v2/admin/tenants', id, 'metric-source');
    const found = await get<AnswerOf<'/api/v2/admin/tenants/{id}/metric-source'>>(path, {}, { asOf: now, signal }).catch(orNothing);
    return (found?.data ?? []).map((source) => ({ tenant: info.name, source }));
  });
  return sources.flat().filter(({ source }) => source.project === project);
};
