/** Messages that are acknowledged, although older ones are not, at most. */
export const MOST_OUT_OF_ORDER = 100_000;

/** A message to be delivered: its offset in the log, and its ordering key if it has one. */
export type QueuedMessage = Readonly<{ offset: number; key?: string }>;

/** One delivery of a message, the `attempt`th, from 1. */
export type Delivery = Readonly<{ offset: number; attempt: number }>;

/** Milliseconds that a message waits after an attempt, counted from 1, before it is delivered again. */
export type Backoff = (attempt: number) => number;

/** Counts the messages that it holds: `took` when it gets one, `freed` once the outcome of one is recorded. */
export interface Holder {
  took(): void;
  freed(): void;
}

/**
 * `ready`: to be delivered. `leased`: delivered, until `at`. `ending`: its lease is over, or it is acknowledged, which is being recorded. `waiting`: it came
 * back and is delivered again at `at`. `blocked`: an earlier message of its key is not settled.
 */
type Phase = 'ready' | 'leased' | 'ending' | 'waiting' | 'blocked';

/** `attempts`: that are over. `at`: milliseconds of the clock of the caller; `since`: when it was first leased; `holder`: who has it, if that is to be told. */
export type HeldDelivery = {
  readonly offset: number;
  readonly key: string | undefined;
  attempts: number;
  phase: Phase;
  at: number;
  since: number | undefined;
  holder: Holder | undefined;
};

/** Releases a message whose outcome is recorded, or that was taken back. */
export const free = (held: HeldDelivery): void => {
  held.holder?.freed();
  held.holder = undefined;
};
