import type { RecordedEvent } from '#domain/shared/events.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { WrongMasterKey } from '#infra/stores/secrets/key-events.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';

/**
 * Decodes stored events to their current shape, in the same order. @throws if an event cannot be decoded, for example because its type is
 * unknown
 */
export type DecodeEvents = (events: readonly RecordedEvent[]) => readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]>;

/**
 * Decodes events in the given order. An event that cannot be decoded becomes `undefined`: it is altered, has a form that Logbook does not
 * write, or has a type or version unknown to this release.
 * @throws EventStoreUnavailable, WrongMasterKey
 */
export const readableEvents = async (
  decode: DecodeEvents,
  events: readonly RecordedEvent[],
): Promise<readonly (ProjectedEvent | undefined)[]> => {
  try {
    return await decode(events);
  } catch (error) {
    if (isFinal(error)) throw error;
  }
  const decoded: (ProjectedEvent | undefined)[] = [];
  for (const event of events) {
    try {
      decoded.push(...(await decode([event])));
    } catch (error) {
      if (isFinal(error)) throw error;
      decoded.push(undefined);
    }
  }
  return decoded;
};

const isFinal = (error: unknown): boolean => isOutage(error) || error instanceof WrongMasterKey;
