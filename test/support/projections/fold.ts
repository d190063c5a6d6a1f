import type { RecordedEvent } from '#domain/shared/events.js';
import type { EventFailed } from '#infra/engine/projection-runner/failure.js';
import { SetAside, SetAsideBatch } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { foldEvents } from '#infra/engine/projection-runner/steps/fold.js';
import type { WorkingSet } from '#infra/engine/projection-runner/steps/working-set.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { Projection } from '#projections/shared/projection.js';
import type { ReadView } from '#projections/shared/read-store.js';

/** Applies events to the set while nothing is set aside or skipped. Returns the first failure. */
export const fold = async (
  projection: Projection,
  decode: DecodeEvents,
  documents: ReadView,
  set: WorkingSet,
  events: readonly RecordedEvent[],
): Promise<EventFailed | null> => {
  const batch = new SetAsideBatch(SetAside.NONE, { partitioning: projection.partitions, skipped: new Set(), now: 0 });
  await foldEvents(projection, decode, documents, set, events, batch);
  return batch.failures[0]?.failure ?? null;
};
