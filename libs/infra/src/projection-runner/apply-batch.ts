import type { RecordedEvent } from '#domain/shared/events.js';
import type { DocumentKey, ProjectedEvent, Projection } from '#projections/shared/projection.js';
import type { Change, ReadView } from '#projections/shared/read-store.js';
import { EventFailed, isOutage } from './failure.js';
import { WorkingSet } from './working-set.js';

/** Stored events in their current shape, in the same order. @throws when one of them cannot be decoded, its type unknown for example */
export type DecodeEvents = (events: readonly RecordedEvent[]) => readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]>;

/** What a batch does to the documents. With a failure: what the events before the failing one do. */
export type BatchOutcome = Readonly<{ changes: readonly Change[]; failure: EventFailed | null }>;

type Decoded = Readonly<{ events: readonly ProjectedEvent[]; failure: EventFailed | null }>;

/** The events up to the first that cannot be decoded; they are tried one by one only when the batch as a whole cannot. */
const decodeUntilFailure = async (decode: DecodeEvents, recorded: readonly RecordedEvent[]): Promise<Decoded> => {
  try {
    return { events: await decode(recorded), failure: null };
  } catch (error) {
    if (isOutage(error)) throw error;
  }
  const events: ProjectedEvent[] = [];
  for (const event of recorded) {
    try {
      events.push(...(await decode([event])));
    } catch (error) {
      if (isOutage(error)) throw error;
      return { events, failure: new EventFailed(event, error) };
    }
  }
  return { events, failure: null };
};

/** Each event with the documents it names, up to the first for which `reads` throws. */
const nameDocuments = (projection: Projection, events: readonly ProjectedEvent[]) => {
  const steps: Readonly<{ event: ProjectedEvent; named: readonly DocumentKey[] }>[] = [];
  for (const event of events) {
    try {
      steps.push({ event, named: projection.reads(event) });
    } catch (error) {
      return { steps, failure: new EventFailed(event, error) };
    }
  }
  return { steps, failure: null };
};

/**
 * Folds recorded events into the working set, in order, fetching what they read with one `getMany` for each collection.
 * Every event is decoded, those that the projection does not handle too: an unknown type is a failure, never skipped.
 * @returns the failure at which it ended; everything before it is in the set
 * @throws EventStoreUnavailable, ReadStoreUnavailable
 */
export const foldEvents = async (
  projection: Projection,
  decode: DecodeEvents,
  documents: ReadView,
  set: WorkingSet,
  recorded: readonly RecordedEvent[],
): Promise<EventFailed | null> => {
  const decoded = await decodeUntilFailure(decode, recorded);
  const handled = decoded.events.filter(({ type }) => projection.handles.has(type));
  const { steps, failure } = nameDocuments(projection, handled);
  const missing = set.missing(steps.flatMap(({ named }) => named));
  await Promise.all([...missing].map(async ([collection, keys]) => set.learn(collection, keys, await documents.getMany(collection, keys))));
  for (const { event, named } of steps) {
    try {
      set.apply(event, named);
    } catch (error) {
      if (error instanceof EventFailed) return error;
      throw error;
    }
  }
  return failure ?? decoded.failure;
};

/**
 * The changes that a batch of recorded events makes to the documents of a projection. Writes nothing.
 * @throws EventStoreUnavailable, ReadStoreUnavailable
 */
export const applyBatch = async (
  projection: Projection,
  decode: DecodeEvents,
  documents: ReadView,
  recorded: readonly RecordedEvent[],
): Promise<BatchOutcome> => {
  const set = new WorkingSet(projection);
  const failure = await foldEvents(projection, decode, documents, set, recorded);
  try {
    return { changes: set.changes(), failure };
  } catch (error) {
    if (!(error instanceof EventFailed)) throw error;
    const before = recorded.filter(({ position }) => position < error.event.position);
    const outcome = await applyBatch(projection, decode, documents, before);
    return { changes: outcome.changes, failure: outcome.failure ?? error };
  }
};
