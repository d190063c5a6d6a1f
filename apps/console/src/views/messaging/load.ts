import { get, pathOf, send } from '../../api/client.js';
import type { AnswerOf, ItemOf, PostAnswerOf } from '../../api/types.js';

type ProjectAnswer = AnswerOf<'/ops/messaging/{project}'>;
export type TopicNow = ProjectAnswer['topics'][number];
export type SubscriptionNow = ProjectAnswer['subscriptions'][number];
export type SourceNow = ProjectAnswer['metricSources'][number];
export type SubscriptionState = AnswerOf<'/ops/messaging/{project}/subscriptions/{subscription}'>;
export type AllSubscriptions = AnswerOf<'/ops/subscriptions'>;
export type PushErrorNow = NonNullable<SubscriptionNow['pushError']>;
export type Letter = ItemOf<'/ops/messaging/{project}/topics/{topic}/dead-letters'>;
export type Letters = AnswerOf<'/ops/messaging/{project}/topics/{topic}/dead-letters'>;

/** A topic of dead letters, or a subscription that has one. */
export type LettersOf = Readonly<{ project: string; kind: 'topics' | 'subscriptions'; name: string }>;

const base = '/ops/messaging';

/** @throws ApiError */
export const loadProjects = (signal: AbortSignal): Promise<AnswerOf<'/ops/messaging'>> => get(base, {}, { signal });

/** @throws ApiError */
export const loadAllSubscriptions = (order: string, signal: AbortSignal): Promise<AllSubscriptions> =>
  get<AllSubscriptions>('/ops/subscriptions', { order }, { signal });

/** Everything of a project in one answer. @throws ApiError */
export const loadProject = (project: string, limit: number, signal: AbortSignal): Promise<ProjectAnswer> =>
  get(pathOf(base, project), { limit }, { signal });

/** @throws ApiError */
export const loadTopic = (
  project: string,
  topic: string,
  signal: AbortSignal,
): Promise<AnswerOf<'/ops/messaging/{project}/topics/{topic}'>> => get(pathOf(base, project, 'topics', topic), {}, { signal });

/** @throws ApiError */
export const loadSubscription = (project: string, subscription: string, signal: AbortSignal): Promise<SubscriptionState> =>
  get(pathOf(base, project, 'subscriptions', subscription), {}, { signal });

const lettersPath = ({ project, kind, name }: LettersOf): string => pathOf(base, project, kind, name, 'dead-letters');

/** 100 of them, the newest first. @param after `next` of another page. Default: the newest @throws ApiError */
export const loadLetters = (of: LettersOf, after: string | undefined, signal?: AbortSignal): Promise<Letters> =>
  get<Letters>(lettersPath(of), { after }, { signal });

type Redriven = PostAnswerOf<'/ops/messaging/{project}/topics/{topic}/dead-letters/redrive'>;

/** Ids that a call takes. */
const MOST_IDS = 1_000;

/** However many calls that takes. @param messages ids, the oldest first. Default: all @throws ApiError */
export const redrive = async (of: LettersOf, messages?: readonly string[]): Promise<Readonly<{ redriven: number; kept: number }>> => {
  let [redriven, kept] = [0, 0];
  for (let at = 0; at === 0 || at < (messages?.length ?? 0); at += MOST_IDS) {
    for (let after: string | null | undefined; after !== null; ) {
      const body = { messages: messages?.slice(at, at + MOST_IDS), after };
      const answer: Redriven = await send<Redriven>('POST', `${lettersPath(of)}/redrive`, body);
      redriven += answer.redriven;
      kept += answer.kept;
      after = answer.next;
    }
  }
  return { redriven, kept };
};

/** Data of a message: each read is on record. @throws ApiError */
export const loadData = (
  project: string,
  topic: string,
  message: string,
): Promise<AnswerOf<'/ops/messaging/{project}/topics/{topic}/dead-letters/{message}'>> =>
  get(pathOf(base, project, 'topics', topic, 'dead-letters', message));
