import type { EventStore } from '#domain/shared/event-store.js';
import type { ResultsProgress } from '#infra/engine/results/progress.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Parts that the thread of results needs. */
export type ThreadParts = Readonly<{
  configuration: Configuration;
  logger: Logger;
  eventStore: EventStore;
  masterKey: Buffer;
  /** The read models of this process. */
  store: ReadStore;
}>;

/** The thread that computes days of large reports and answers large calls. */
export type ResultsThread = Readonly<{
  state: 'off' | 'live' | 'catching-up' | 'stopped';
  /** Age in seconds of the oldest change that stored results do not include; 0 if there is none. */
  lagSeconds: number;
  /** Progress of the background work; `null` if it is not running. */
  progress: ResultsProgress | null;
  /** Called once, when the read models are known to belong to the log. */
  start(): void;
  close(): Promise<void>;
}>;
