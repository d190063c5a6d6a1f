import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';

/** An event that never expires. Another log does not have it in this place. */
export type LogMark = Readonly<{ stream: string; revision: string | number; id: string; position?: string }>;

/**
 * Returns whether the log has the marked event and reaches at least the position.
 * @param mark null if there was none yet
 * @throws EventStoreUnavailable
 */
export const isMarkedLog = async (
  events: Pick<EventStore, 'readStream' | 'end'>,
  mark: LogMark | null | undefined,
  position: Position,
): Promise<boolean> => {
  if ((await events.end()) < position) return false;
  if (!mark) return true;
  const [found] = await events.readStream(mark.stream, { from: BigInt(mark.revision), limit: 1 });
  return found?.id === mark.id && (mark.position === undefined || `${found.position}` === mark.position);
};
