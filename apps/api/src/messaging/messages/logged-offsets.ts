import { cursorIn, type SubscriptionRef, startingCursor } from '#domain/messaging/cursors/cursor.js';
import { type Cursor, type CursorEvent, cursorStream } from '#domain/messaging/cursors/cursor-events.js';
import { deliveriesStream } from '#domain/messaging/deliveries/delivery-events.js';
import { messagesStream } from '#domain/messaging/messages/message-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { type DecodeEvents, readableEvents } from '#infra/stores/event-codec/readable-events.js';
import type { ReadGate } from '#infra/stores/log-identity/read-gate.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';

/** Topics that are looked up in the log together. */
const TOPICS_AT_ONCE = 16;

type Sources = Readonly<{ events: Pick<EventStore, 'readStream'>; decode: DecodeEvents; gate: Pick<ReadGate, 'isOpen'> | undefined }>;

/**
 * Like {@link OffsetQueries}. While the read model is withheld, cursors and ends of topics are those of the log. The end of a topic whose messages
 * have all expired is not known then.
 */
export class LoggedOffsets extends OffsetQueries {
  constructor(
    store: ReadStore,
    private readonly sources: Sources,
  ) {
    super(store);
  }

  override get isWithheld(): boolean {
    return this.sources.gate?.isOpen === false;
  }

  override nextOffset(topicId: string): Promise<number> {
    return orElse(super.nextOffset(topicId), () => this.endInLog(topicId));
  }

  override endAfter(topicId: string, offset: number): Promise<number> {
    return orElse(super.endAfter(topicId, offset), async () => offset);
  }

  override nextOffsets(topicIds: readonly string[]): Promise<readonly (number | undefined)[]> {
    return orElse(super.nextOffsets(topicIds), async () => {
      const ends: number[] = [];
      while (ends.length < topicIds.length) {
        const some = topicIds.slice(ends.length, ends.length + TOPICS_AT_ONCE);
        ends.push(...(await Promise.all(some.map(async (topicId) => (await this.endInLog(topicId)) ?? 0))));
      }
      return ends;
    });
  }

  override cursor(subscription: SubscriptionRef): Promise<Cursor> {
    return orElse(super.cursor(subscription), () => this.cursorInLog(subscription));
  }

  /** The cursor by the log, whatever read models show: every event has the whole of it. `undefined` if the last one cannot be read. */
  async cursorInLog({ subscriptionId, start, topicId }: SubscriptionRef): Promise<Cursor | undefined> {
    const found = (
      await Promise.all([cursorStream(subscriptionId), deliveriesStream(subscriptionId)].map((stream) => this.lastOf(stream)))
    ).flat();
    const [one, other] = found;
    if (!one) return cursorIn(startingCursor(start), topicId);
    const [event] = await readableEvents(this.sources.decode, [other && other.position > one.position ? other : one]);
    const data = event?.data as CursorEvent['data'] | undefined;
    return data && cursorIn(data.cursor, topicId);
  }

  /** `undefined` if no message is left: there may have been some. */
  private async endInLog(topicId: string): Promise<number | undefined> {
    const [last] = await this.lastOf(messagesStream(topicId));
    return last && Number(last.revision) + 1;
  }

  private lastOf(stream: string): ReturnType<EventStore['readStream']> {
    return this.sources.events.readStream(stream, { direction: 'backwards', limit: 1 });
  }
}

/** The value of the read model; while that is withheld, of the other source. @throws ReadModelsUnavailable neither has it */
const orElse = async <Value>(shown: Promise<Value>, other: () => Promise<Value | undefined>): Promise<Value> => {
  try {
    return await shown;
  } catch (error) {
    if (!(error instanceof ReadModelsUnavailable)) throw error;
    const found = await other();
    if (found === undefined) throw error;
    return found;
  }
};
