import { ApiError, get, pathOf } from '../../api/client.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { headOfLog, inTurns } from '../as-of.js';
import { type Counts, HOUR } from './growth.js';

type Metrics = AnswerOf<'/v1/projects/{project}:metrics'>;
type Subscription = AnswerOf<'/v1/projects/{project}/subscriptions'>['subscriptions'][number];

export type TopicNow = ItemOf<'/ops/messaging/{project}/topics'>;
export type SubscriptionNow = ItemOf<'/ops/messaging/{project}/subscriptions'>;

/** What is in a project now. `more`: there are others. */
export type ProjectNow = Readonly<{ topics: readonly TopicNow[]; subscriptions: readonly SubscriptionNow[]; more: boolean }>;

/**
 * What only auditors can read, as of the past, so that it is read once: how many messages had been published to each topic, and handed out of each
 * subscription, an hour ago; how the pushing of subscriptions goes; what tenants could not take. By name.
 */
export type ProjectOnce = Counts &
  Readonly<{
    push: ReadonlyMap<string, string>;
    letters: readonly DeadLetters[];
  }>;

/** Topics and subscriptions of a page. */
const PAGE = 100;

const newest = ({ metrics }: Metrics, name: string): Readonly<{ timestamp: string; value: number }> | undefined =>
  metrics.find(({ metric }) => metric === name)?.timeseries[0];

const countIn = (metrics: Metrics | undefined, name: string): number => (metrics && newest(metrics, name)?.value) || 0;

/** What did not exist then has nothing. */
const orNothing = (error: unknown): undefined => {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
};

const metricsAt = (path: string, asOf: string, signal: AbortSignal): Promise<Metrics | undefined> =>
  get<Metrics>(`${path}:metrics`, {}, { asOf, signal }).catch(orNothing);

const topicPath = (project: string, topic: string): string => pathOf('/v1/projects', project, 'topics', topic);

const pushOf = ({ pushConfig: { type, verified }, pushStatus }: Subscription): string => {
  if (type === '') return 'pull';
  return pushStatus ?? (verified ? 'push' : 'push, not verified');
};

const byName = <Row extends Readonly<{ name: string }>>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((one, other) => one.name.localeCompare(other.name));

type Page<Item> = Readonly<{ items: readonly Item[]; next: string | null }>;

const pagesOf = async <Item>(pages: number, ask: (after: string | undefined) => Promise<Page<Item>>): Promise<Page<Item>> => {
  const first = await ask(undefined);
  const items = [...first.items];
  let { next } = first;
  for (let page = 1; page < pages && next !== null; page += 1) {
    const more = await ask(next);
    items.push(...more.items);
    next = more.next;
  }
  return { items, next };
};

/** The newest of each. Leaves no trace in the log, so that it may be read again and again. @throws ApiError */
export const loadNow = async (project: string, pages: number, signal: AbortSignal): Promise<ProjectNow> => {
  const path = pathOf('/ops/messaging', project);
  const [topics, subscriptions] = await Promise.all([
    pagesOf(pages, (after) => get<AnswerOf<'/ops/messaging/{project}/topics'>>(`${path}/topics`, { limit: PAGE, after }, { signal })),
    pagesOf(pages, (after) =>
      get<AnswerOf<'/ops/messaging/{project}/subscriptions'>>(`${path}/subscriptions`, { limit: PAGE, after }, { signal }),
    ),
  ]);
  return { topics: byName(topics.items), subscriptions: byName(subscriptions.items), more: (topics.next ?? subscriptions.next) !== null };
};

/** A figure of each at a moment, by name. */
const figuresAt = async (path: string, names: readonly string[], metric: string, asOf: string, signal: AbortSignal) =>
  new Map(await inTurns(names, async (name) => [name, countIn(await metricsAt(pathOf(path, name), asOf, signal), metric)] as const));

/** @throws ApiError */
export const loadOnce = async (project: string, pages: number, signal: AbortSignal): Promise<ProjectOnce> => {
  const { topics, subscriptions } = await loadNow(project, pages, signal);
  const at = Date.now() - HOUR;
  const [now, before] = [await headOfLog(signal), new Date(at).toISOString()];
  const path = (kind: string): string => pathOf('/v1/projects', project, kind);
  const pushed = subscriptions.filter(({ push }) => push);
  const push = await inTurns(pushed, async ({ name }) => {
    const shown = await get<Subscription>(pathOf(path('subscriptions'), name), {}, { asOf: now, signal }).catch(orNothing);
    return [name, shown ? pushOf(shown) : 'gone'] as const;
  });
  return {
    at,
    published: await figuresAt(
      path('topics'),
      topics.map(({ name }) => name),
      'topic.number_of_messages',
      before,
      signal,
    ),
    delivered: await figuresAt(
      path('subscriptions'),
      subscriptions.map(({ name }) => name),
      'subscription.number_of_messages',
      before,
      signal,
    ),
    push: new Map(push),
    letters: await loadDeadLetters(project, now, signal),
  };
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
const loadDeadLetters = async (project: string, now: string, signal: AbortSignal): Promise<readonly DeadLetters[]> => {
  const tenants = await get<AnswerOf<'/api/v2/admin/tenants'>>('/api/v2/admin/tenants', {}, { asOf: now, signal });
  const sources = await inTurns(tenants.data, async ({ id, info }) => {
    const path = pathOf('/api/v2/admin/tenants', id, 'metric-source');
    const found = await get<AnswerOf<'/api/v2/admin/tenants/{id}/metric-source'>>(path, {}, { asOf: now, signal }).catch(orNothing);
    return (found?.data ?? []).map((source) => ({ tenant: info.name, source }));
  });
  return sources.flat().filter(({ source }) => source.project === project);
};
