import type { Position } from '#domain/shared/events.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { ReadView } from './read-store.js';

/** `reached`: can be read. `behind`: not yet. `lost`: never, because the log no longer has the events. */
export type PastAvailability = 'reached' | 'behind' | 'lost';

/** The state of the read models after each event. Secrets are not stored: they read as `"[secret]"`. Data that has been erased reads as empty. */
export interface History {
  /**
   * The documents of a read model after the last event at or before a position. Call `reach` first: beyond its own position the history returns the
   * newest documents it has.
   * @param shown with marks in place of secrets and personal data, for auditors. Default: as the services read them
   * @throws ReadStoreUnavailable nothing was recorded yet
   */
  view(projection: string, position: Position, shown?: MarkVisibility): ReadView;

  /**
   * Whether a projection can be read as of the position, now or within the timeout.
   * @param timeoutMs default 0
   * @param projection its name. Default: all projections
   */
  reach(position: Position, timeoutMs?: number, projection?: string): Promise<PastAvailability>;

  /** State of the history, for operators. */
  status(): HistoryStatus;
}

/**
 * `stopped`: this process does not follow the documents. `from`: the first readable position of all projections. `position`: progress of the history.
 * `documents`: number of all their versions.
 */
export type HistoryStatus = Readonly<{
  state: 'catching-up' | 'live' | 'stopped';
  from: Position;
  position: Position;
  documents: number;
}>;
