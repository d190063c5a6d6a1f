import type { EventStore } from '#domain/shared/event-store.js';
import type { ResultsProgress } from '#infra/engine/results/progress.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Parts that the threads of the services need. */
export type ThreadParts = Readonly<{
  configuration: Configuration;
  logger: Logger;
  eventStore: EventStore;
  masterKey: Buffer;
  keys: SubjectKeys;
  /** The read models of this process. */
  store: ReadStore;
}>;

/** State of the engine of large reports, for monitoring. */
export type ResultsThread = Readonly<{
  state: 'off' | 'live' | 'catching-up' | 'stopped';
  /** Age in seconds of the oldest change that stored results do not include; 0 if there is none. */
  lagSeconds: number;
  /** Progress of the background work; `null` if it is not running. */
  progress: ResultsProgress | null;
  start(): void;
  close(): Promise<void>;
}>;
export type ServiceThreads = Readonly<{
  /** Not started. */
  results: ResultsThread;
  /** Answers large calls for results. */
  largeCalls?: Readonly<{ close(): Promise<void> }>;
}>;
