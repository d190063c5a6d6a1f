import type { RecordedEvent } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { isUnknownType, UnknownEventType } from '#infra/stores/event-codec/schemas.js';
import type { Projection } from '#projections/shared/projection.js';
import type { SetAside } from './set-aside.js';

/**
 * Returns whether the read model is to be built anew without a request: this process knows the type of an event at which an earlier release
 * has set a partition aside, in a rolling update; or release 1.0.0 has written the rows.
 * @throws EventStoreUnavailable
 */
export const isToRetry = async (
  { events, decode, log }: Pick<RunnerDependencies, 'events' | 'decode' | 'log'>,
  { name, categories }: Projection,
  setAside: SetAside,
): Promise<boolean> => {
  const groups = [...setAside.groups.values()];
  if (groups.some(({ isEarlier }) => isEarlier)) {
    log.warn(
      { projection: name },
      'release 1.0.0 has paused partitions of the read model: it is built anew, which tries their events again',
    );
    return true;
  }
  for (const { failure } of groups) {
    if (!isUnknownType(failure)) continue;
    const { events: found } = await events.readAll({ after: failure.position - 1n, categories, limit: 1 });
    if (found[0]?.id === failure.eventId && (await isKnown(decode, found[0]))) return true;
  }
  return false;
};

const isKnown = async (decode: RunnerDependencies['decode'], event: RecordedEvent): Promise<boolean> => {
  try {
    await decode([event]);
    return true;
  } catch (error) {
    return !(error instanceof UnknownEventType);
  }
};
