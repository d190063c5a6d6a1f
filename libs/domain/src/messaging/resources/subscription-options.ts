import type { Selection } from '#domain/messaging/cursors/cursor.js';
import type { Labels } from './labels.js';

/** `cursor`: one offset in the log, as in AMS. `message`: individual acknowledgement (messaging contract 7.1). */
export type AckMode = 'cursor' | 'message';

/** Seconds before a redelivery: initial and maximum. */
export type RetryPolicy = Readonly<{ minimumSeconds: number; maximumSeconds: number }>;

/** `topic`: name of a topic of the same project. */
export type DeadLetterPolicy = Readonly<{ topic: string; maxDeliveryAttempts: number }>;

/**
 * Options of a new subscription besides its topic, deadline and push settings (messaging contract 7). Options that were not given are absent. Options
 * cannot be changed later.
 */
export type SubscriptionOptions = Readonly<{
  ackMode?: AckMode;
  /** In the filter language of `libs/domain/src/messaging/filters`. */
  filter?: string;
  deadLetterPolicy?: DeadLetterPolicy;
  retryPolicy?: RetryPolicy;
  /** Messages older than this many seconds are not delivered. */
  messageRetentionSeconds?: number;
  enableMessageOrdering?: boolean;
  labels?: Labels;
  enableExactlyOnceDelivery?: boolean;
  /** The subscription is deleted when it has not been pulled for this many seconds. */
  expiresAfterSeconds?: number;
}>;

/** One second doubled so often exceeds the longest back-off. Without a limit the factor would become infinite, and 0 times that is not a number. */
const MOST_DOUBLINGS = 10;

/** Milliseconds between an attempt, counted from 1, and the next delivery of a message. */
export const backoffOf = ({ retryPolicy }: SubscriptionOptions): ((attempt: number) => number) => {
  if (!retryPolicy) return () => 0;
  const { minimumSeconds, maximumSeconds } = retryPolicy;
  return (attempt) => 1_000 * Math.min(minimumSeconds * 2 ** Math.min(attempt - 1, MOST_DOUBLINGS), maximumSeconds);
};

/** Names of the options that select messages. */
const SELECTING = Object.keys({ filter: true, messageRetentionSeconds: true } satisfies Record<
  keyof Selection,
  true
>) as (keyof Selection)[];

/** `undefined` if the subscription receives all messages. */
export const selectionOf = (options: SubscriptionOptions = {}): Selection | undefined => {
  const given = SELECTING.filter((name) => options[name] !== undefined);
  return given.length > 0 ? (Object.fromEntries(given.map((name) => [name, options[name]])) as Selection) : undefined;
};

/** Whether messages are passed over for other reasons than their age. */
export const isFiltered = ({ messageRetentionSeconds: _, ...others }: SubscriptionOptions = {}): boolean =>
  selectionOf(others) !== undefined;

/** Limits of the message retention of topics and subscriptions. */
export const RETENTION_LIMITS = {
  shortestMessageRetention: { value: 600, unit: 'seconds' },
  longestMessageRetention: { value: 365 * 86_400, unit: 'seconds' },
} as const;

/** Limits of options (docs/limits.md). */
export const OPTION_LIMITS = {
  fewestDeliveryAttempts: { value: 5, unit: 'attempts' },
  mostDeliveryAttempts: { value: 100, unit: 'attempts' },
  longestBackoff: { value: 600, unit: 'seconds' },
  shortestExpiration: { value: 86_400, unit: 'seconds' },
} as const;

/** Defaults of policies. */
export const DEFAULT_OPTIONS = { maxDeliveryAttempts: 5, minimumBackoffSeconds: 10, maximumBackoffSeconds: 600 } as const;
