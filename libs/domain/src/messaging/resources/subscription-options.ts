import type { Labels } from './labels.js';

/** `cursor`: one place in the log, as in AMS; `message`: each message is acknowledged by itself (messaging contract 7.1). */
export type AckMode = 'cursor' | 'message';

/** Seconds that a message waits before it is delivered again: the first time, and at most. */
export type RetryPolicy = Readonly<{ minimumSeconds: number; maximumSeconds: number }>;

/** `topic`: name of a topic of the same project. */
export type DeadLetterPolicy = Readonly<{ topic: string; maxDeliveryAttempts: number }>;

/**
 * What a subscription may be created with beside its topic, deadline and push settings (messaging contract 7). Members that were not given are left
 * out; none of them changes later.
 */
export type SubscriptionOptions = Readonly<{
  ackMode?: AckMode;
  /** In the language of `libs/domain/src/messaging/filters`. */
  filter?: string;
  deadLetterPolicy?: DeadLetterPolicy;
  retryPolicy?: RetryPolicy;
  /** Messages older than this many seconds are not delivered. */
  messageRetentionSeconds?: number;
  enableMessageOrdering?: boolean;
  labels?: Labels;
  enableExactlyOnceDelivery?: boolean;
  /** A subscription that nobody pulls from for so many seconds is deleted. */
  expiresAfterSeconds?: number;
}>;

/** How long messages may be kept: of topics and of subscriptions. */
export const RETENTION_LIMITS = {
  shortestMessageRetention: { value: 600, unit: 'seconds' },
  longestMessageRetention: { value: 365 * 86_400, unit: 'seconds' },
} as const;

/** The bounds of options (docs/limits.md). */
export const OPTION_LIMITS = {
  fewestDeliveryAttempts: { value: 5, unit: 'attempts' },
  mostDeliveryAttempts: { value: 100, unit: 'attempts' },
  longestBackoff: { value: 600, unit: 'seconds' },
  shortestExpiration: { value: 86_400, unit: 'seconds' },
} as const;

/** Used where a policy does not say. */
export const DEFAULT_OPTIONS = { maxDeliveryAttempts: 5, minimumBackoffSeconds: 10, maximumBackoffSeconds: 600 } as const;
