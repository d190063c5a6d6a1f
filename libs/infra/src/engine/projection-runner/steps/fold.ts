import type { RecordedEvent } from '#domain/shared/events.js';
import { EventFailed } from '#infra/engine/projection-runner/failure.js';
import type { SetAsideBatch } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { isOutage } from '#infra/platform/program/outage.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { UnknownEventType } from '#infra/stores/event-codec/schemas.js';
import type { DocumentKey, ProjectedEvent, Projection } from '#projections/shared/projection.js';
import type { ReadView } from '#projections/shared/read-store.js';
import type { WorkingSet } from './working-set.js';

/** An event ready to be applied, or the failure that prevents it; `null` for an event that the projection does not handle. */
type EventStep = Readonly<{ event: ProjectedEvent; named: readonly DocumentKey[] }> | EventFailed | null;

/**
 * Decodes every event, including those that the projection does not handle: an unknown type is a failure, and never skipped. If the batch
 * cannot be decoded as a whole, each event is decoded alone; then known but unhandled events need not be readable.
 */
const decodeEach = async (
  projection: Projection,
  decode: DecodeEvents,
  recorded: readonly RecordedEvent[],
): Promise<readonly (ProjectedEvent | EventFailed | undefined)[]> => {
  try {
    return await decode(recorded);
  } catch (error) {
    if (isOutage(error)) throw error;
  }
  const decoded: (ProjectedEvent | EventFailed | undefined)[] = [];
  for (const event of recorded) {
    try {
      decoded.push(...(await decode([event])));
    } catch (error) {
      if (isOutage(error)) throw error;
      const matters = projection.handles.has(event.type) || error instanceof UnknownEventType;
      decoded.push(matters ? new EventFailed(event, error) : undefined);
    }
  }
  return decoded;
};

/** The event, and the documents that it reads. */
const stepOf = (projection: Projection, event: ProjectedEvent | EventFailed | undefined): EventStep => {
  if (event === undefined || event instanceof EventFailed) return event ?? null;
  if (!projection.handles.has(event.type)) return null;
  try {
    return { event, named: projection.reads(event) };
  } catch (error) {
    return new EventFailed(event, error);
  }
};

const namedBy = (steps: readonly EventStep[]): readonly DocumentKey[] =>
  steps.flatMap((step) => (step === null || step instanceof EventFailed ? [] : step.named));

/** Events of a batch for which texts are fetched at most before it is known that they need them. */
const MOST_AHEAD = 256;

/** Fetches what the batch does not know. */
class Fetching {
  /** Events for which the next text that one lacks is fetched together with theirs: in a batch one after the other may lack some. */
  private ahead = 1;

  constructor(
    private readonly documents: ReadView,
    private readonly set: WorkingSet,
    /** The events that come next. */
    private readonly upcoming: (count: number) => readonly EventStep[],
  ) {}

  /** Fetches texts that an event lacks, and those that the events after it name. */
  async lacked(named: readonly DocumentKey[]): Promise<void> {
    const next = this.upcoming(this.ahead);
    this.ahead = Math.min(MOST_AHEAD, this.ahead * 2);
    await this.texts([...named, ...namedBy(next)], 'lazy');
  }

  async all(named: readonly DocumentKey[]): Promise<void> {
    await Promise.all([this.texts(named), this.lengths(named)]);
  }

  async texts(named: readonly DocumentKey[], form?: 'lazy'): Promise<void> {
    const missing = this.set.missing(named, form);
    const { documents, set } = this;
    await Promise.all(
      [...missing].map(async ([collection, keys]) => set.learn(collection, keys, await documents.getMany(collection, keys))),
    );
  }

  async lengths(named: readonly DocumentKey[]): Promise<void> {
    const missing = this.set.missing(named, 'length');
    const { documents, set } = this;
    await Promise.all(
      [...missing].map(async ([collection, keys]) => set.learnLengths(collection, keys, await documents.lengths(collection, keys))),
    );
  }
}

/** The text that an event lacks, and some of those named behind it: an event that needs many of them must not be applied as often. */
const lacking = (named: readonly DocumentKey[], { collection, key }: DocumentKey, count: number): readonly DocumentKey[] => {
  const lazy = named.filter(({ form }) => form === 'lazy');
  const first = lazy.findIndex((name) => name.key === key && name.collection === collection);
  return lazy.slice(first, first + count);
};

type Taken = EventFailed | null;

const failed = (error: unknown): EventFailed => {
  if (error instanceof EventFailed) return error;
  throw error;
};

/**
 * Applies an event that lacks documents.
 * @param missing the text that it lacked; `null`: it was not tried, because `named` has documents to fetch
 */
const takeFetched = async (
  { set, fetching }: Readonly<{ set: WorkingSet; fetching: Fetching }>,
  event: ProjectedEvent,
  named: readonly DocumentKey[],
  missing: DocumentKey | null,
): Promise<Taken> => {
  try {
    if (!missing) await fetching.all(named);
    let lacks = missing ?? set.apply(event, named);
    for (let count = 1; lacks; count *= 2) {
      await fetching.lacked(lacking(named, lacks, count));
      lacks = set.apply(event, named);
    }
    return null;
  } catch (error) {
    return failed(error);
  }
};

/** @returns the failure of the event, if it has one; a promise only if documents have to be fetched */
const take = (set: WorkingSet, fetching: Fetching, step: EventStep): Taken | Promise<Taken> => {
  if (step === null || step instanceof EventFailed) return step;
  const { event } = step;
  try {
    const named = set.furtherNamed(event, step.named);
    const missing = named === step.named ? set.apply(event, named) : null;
    if (named === step.named && !missing) return null;
    return takeFetched({ set, fetching }, event, named, missing);
  } catch (error) {
    return failed(error);
  }
};

/**
 * Applies recorded events to the working set, in order. The documents that they read are fetched with one `getMany` per collection, those
 * that they may read once an event does.
 * @param batch decides which events are skipped, and sets aside the partitions of failing ones
 * @throws EventStoreUnavailable, ReadStoreUnavailable
 */
export const foldEvents = async (
  projection: Projection,
  decode: DecodeEvents,
  documents: ReadView,
  set: WorkingSet,
  recorded: readonly RecordedEvent[],
  batch: SetAsideBatch,
): Promise<void> => {
  const wanted = batch.idle ? recorded : recorded.filter((event) => !batch.wouldSkip(event));
  const steps = (await decodeEach(projection, decode, wanted)).map((event) => stepOf(projection, event));
  let index = 0;
  const fetching = new Fetching(documents, set, (count) => steps.slice(index, index + count));
  await fetching.all(namedBy(steps));
  for (const event of recorded) {
    const step = (wanted[index] === event ? steps[index++] : undefined) ?? null;
    if (!batch.idle && batch.skips(event)) continue;
    const taken = take(set, fetching, step);
    const failure = taken instanceof Promise ? await taken : taken;
    if (failure) batch.setAside(event, failure);
  }
};
