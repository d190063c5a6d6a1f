import { ApiError, get, pathOf } from '../../api/client.js';
import type { AnswerOf, ItemOf } from '../../api/types.js';
import { headOfLog, inTurns } from '../as-of.js';

type Subscription = AnswerOf<'/v1/projects/{project}/subscriptions'>['subscriptions'][number];

export type TopicNow = ItemOf<'/ops/messaging/{project}/topics'>;
export type SubscriptionNow = ItemOf<'/ops/messaging/{project}/subscriptions'>;

/** What is in a project now. `more`: there are others. */
export type ProjectNow = Readonly<{ topics: readonly TopicNow[]; subscriptions: readonly SubscriptionNow[]; more: boolean }>;

/**
 * What only auditors can read, as of the past, which is on record, so that it is read once: how the pushing of subscriptions goes, by name; what tenants could
 * not take.
 */
export type ProjectOnce = Readonly<{ push: ReadonlyMap<string, string>; letters: readonly DeadLetters[] }>;

/** Topics and subscriptions of a page. */
const PAGE = 100;

/** What did not exist then has nothing. */
const orNothing = (error: unknown): undefined => {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
};

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

/** @throws ApiError */
export const loadOnce = async (project: string, pages: number, signal: AbortSignal): Promise<ProjectOnce> => {
  const { subscriptions } = await loadNow(project, pages, signal);
  const now = await headOfLog(signal);
  const pushed = subscriptions.filter(({ push }) => push);
  const push = await inTurns(pushed, async ({ name }) => {
    const path = pathOf('/v1/projects', project, 'subscriptions', name);
    const shown = await get<Subscription>(path, {}, { asOf: now, signal }).catch(orNothing);
    return [name, shown ? pushOf(shown) : 'gone'] as const;
  });
  return { push: new Map(push), letters: await loadDeadLetters(project, now, signal) };
};

/** Messages published to a topic in each span of the last hour. `times`: seconds, at which the spans begin. @throws ApiError */
export const loadLastHour = async (project: string, topic: string, signal: AbortSignal) => {
  const { lastHour } = await get<AnswerOf<'/ops/messaging/{project}/topics/{topic}'>>(
    pathOf('/ops/messaging', project, 'topics', topic),
    {},
    { signal },
  );
  const begin = Math.round(Date.parse(lastHour.from) / 1_000);
  const published = lastHour.counts ?? [];
  return { times: published.map((_, step) => begin + step * lastHour.secondsEach), published };
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
