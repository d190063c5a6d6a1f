import type { Position } from '#domain/shared/events.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { ReadView } from './read-store.js';

/** `reached`: can be read. `behind`: not yet. `lost`: never again, because the log no longer has the events. */
export type PastAvailability = 'reached' | 'behind' | 'lost';

/**
 * What the read models were after each event of the log. Secrets are not kept: they read as `"[secret]"`; what is erased by now reads as empty.
 */
export interface History {
  /**
   * The documents of a read model as they were right after the last event at or before a position. Ask `reach` first: a position that the history
   * has not come to shows the newest documents that it has.
   * @param shown with marks in place of secrets and personal data, for auditors. Default: as the services read them
   * @throws ReadStoreUnavailable nothing was recorded yet
   */
  view(projection: string, position: Position, shown?: MarkVisibility): ReadView;

  /**
   * Whether a projection can be read as of the position, now or within the time.
   * @param timeoutMs default 0
   * @param projection its name. Default: every one
   */
  reach(position: Position, timeoutMs?: number, projection?: string): Promise<PastAvailability>;

  /** The state of the history, for operators. */
  status(): HistoryStatus;
}

/** `from`: the first position that can be read, in every projection. `position`: how far it is. `documents`: newest ones and earlier versions. */
export type HistoryStatus = Readonly<{
  state: 'catching-up' | 'live' | 'stopped';
  from: Position;
  position: Position;
  documents: number;
  /** Events that could not be applied: those of the same part of the projection are left out from there on. */
  failures: readonly HistoryFailure[];
}>;

/** `at`: position of the event. `partition`: what is not kept up any more; null: the whole projection. */
export type HistoryFailure = Readonly<{
  projection: string;
  partition: string | null;
  at: Position;
  eventId: string;
  type: string;
  message: string;
}>;
