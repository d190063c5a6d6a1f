import type { Position } from '#domain/shared/events.js';

/**
 * A chained event as a point in time. `index`: its place in the chain, from 0. `time`: its log time, `YYYY-MM-DDTHH:MM:SS.sssZ`: the greatest time
 * of acceptance of all chained events up to it (operations contract 0), so that it never goes back in log order.
 */
export type LogMoment = Readonly<{ index: number; position: Position; time: string }>;

/** Maps instants and positions to chained events. */
export interface LogTimeline {
  /**
   * The last event whose log time is at or before an instant; `null` before the first event. Only indexed events are considered: to include a write, wait
   * for its position with `reached` first.
   * @param milliseconds since 1970-01-01 UTC
   */
  atInstant(milliseconds: number): Promise<LogMoment | null>;

  /**
   * The last event at or before a position of the log; `null` before the first event. An append is one step: inside of it, it is the last event before
   * it. Events behind the position count, so the index must have passed it, or be at the head of the log.
   */
  atPosition(position: Position): Promise<LogMoment | null>;

  /** Whether everything up to the position is indexed now or before the timeout. Default: 2,000 milliseconds. */
  reached(position: Position, timeoutMilliseconds?: number): Promise<boolean>;
}
