import type { Position } from '#domain/shared/events.js';
import type { ReadView } from './read-store.js';

/** Whether the documents of a position can be read: `behind`: not yet; `lost`: never again, because messages they are made of have expired. */
export type Reach = 'reached' | 'behind' | 'lost';

/** The documents of all projections as they were at any position of the log. Members that are secret read as `"[secret]"`. */
export interface History {
  /** The documents of a projection right after the event at the position. Only for positions that are `reached`. */
  view(projection: string, position: Position): ReadView;

  /** Whether a position can be read, now or within the time. Default: not waiting. */
  reach(position: Position, timeoutMs?: number): Promise<Reach>;

  close(): Promise<void>;
}
