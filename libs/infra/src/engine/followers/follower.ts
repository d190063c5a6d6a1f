import type { EventStore } from '#domain/shared/event-store.js';
import type { EventStoreClient } from '#infra/platform/config/event-store-clients.js';
import type { Logger, LogLevel } from '#infra/platform/logging/logger.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { Projection } from '#projections/shared/projection.js';

/** Progress of a follower. It is passed between threads: plain data only. */
export type FollowerState = Readonly<{
  state: 'catching-up' | 'live';
  /** Details of the follower for status and metrics: plain data that can be cloned. */
  facts: unknown;
}>;

/** Follows the log outside the write path, in a thread of its own; no command waits for it. */
export interface Follower {
  /** Unique in the process. */
  readonly name: string;
  /** Starts in the background. Called once. */
  start(): void;
  /** Resolves between two steps, when everything is stored and released. */
  stop(): Promise<void>;
  /** Answers `Followers.ask` of the main thread. Requests and answers are plain data. */
  answer?(request: unknown): unknown;
}

/** Configuration of followers: plain data, passed to a thread in memory, never on its command line. */
export type FollowerSettings = Readonly<{
  dataDirectory: string;
  /** Default: the embedded log in `dataDirectory`. */
  eventStoreUrl?: string | undefined;
  /** Default `native`. */
  eventStoreClient?: EventStoreClient | undefined;
  /** Default: the embedded read models in `dataDirectory`. */
  redisUrl?: string | undefined;
  redisPrefix?: string | undefined;
  /** 32 bytes. */
  masterKey: Uint8Array;
  logLevel: LogLevel;
  chain: boolean;
}>;

/** Dependencies of a follower in its thread. */
export type FollowerContext = Readonly<{
  settings: FollowerSettings;
  /** Read-only. */
  events: EventStore;
  keys: SubjectKeys;
  projections: readonly Projection[];
  log: Logger;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  /** Reports the follower's progress to the main thread: after every step, and when other facts change. Cheap. */
  report(follower: string, state: FollowerState): void;
  /** Asks the main thread for an action that only it can take, such as an append. @throws its errors, as an Error with the same message */
  ask(topic: string, request: unknown): Promise<unknown>;
}>;

export type FollowerFactory = (context: FollowerContext) => Follower | Promise<Follower>;

/** Messages from a thread. */
export type FromThread =
  | Readonly<{ kind: 'started' }>
  | Readonly<{ kind: 'state'; follower: string; state: FollowerState }>
  | Readonly<{ kind: 'ask'; id: number; topic: string; request: unknown }>
  | Readonly<{ kind: 'answer'; id: number; result?: unknown; error?: string }>
  /** An environment of this process is lost. */
  | Readonly<{ kind: 'lost'; path: string }>
  | Readonly<{ kind: 'stopped' }>;

/** Messages to a thread. */
export type ToThread =
  | Readonly<{ kind: 'stop' }>
  | Readonly<{ kind: 'ask'; id: number; follower: string; request: unknown }>
  | Readonly<{ kind: 'answer'; id: number; result?: unknown; error?: string }>;
