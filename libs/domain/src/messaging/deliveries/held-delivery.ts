/** Maximum number of messages that are acknowledged before an older one is. */
export const MOST_OUT_OF_ORDER = 100_000;

/** A message to be delivered: its offset in the log, and its ordering key, if any. */
export type QueuedMessage = Readonly<{ offset: number; key?: string }>;

/** One delivery of a message. `attempt` counts from 1. */
export type Delivery = Readonly<{ offset: number; attempt: number }>;

/** Milliseconds between an attempt (counted from 1) and the next delivery of the message. */
export type Backoff = (attempt: number) => number;

/** Counts the messages that a client holds. `took` is called for each message it receives, `freed` once the outcome of one is recorded. */
export interface OutstandingCounter {
  took(): void;
  freed(): void;
}

/**
 * `ready`: can be delivered. `leased`: delivered, until `at`. `ending`: its lease has expired or it is acknowledged, and this is being recorded.
 * `waiting`: returned, and delivered again at `at`. `blocked`: an earlier message with its key is not settled.
 */
type Phase = 'ready' | 'leased' | 'ending' | 'waiting' | 'blocked';

/**
 * `attempts`: number of completed ones. `at`: milliseconds on the caller's clock. `since`: time of the first lease. `holder`: the client that holds
 * it, if it counts its messages.
 */
export type HeldDelivery = {
  readonly offset: number;
  readonly key: string | undefined;
  attempts: number;
  phase: Phase;
  at: number;
  since: number | undefined;
  holder: OutstandingCounter | undefined;
};

/** Releases a message whose outcome is recorded or whose lease was withdrawn. */
export const free = (held: HeldDelivery): void => {
  held.holder?.freed();
  held.holder = undefined;
};
