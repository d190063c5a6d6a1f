import { leafHash, storedForm } from '#domain/integrity/leaf.js';
import type { Actor, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import type { MarkVisibility } from '#domain/shared/marks.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { UnknownEventType } from '#infra/stores/event-codec/schemas.js';
import { SealBroken } from '#infra/stores/secrets/seal.js';
import type { AuditIndex } from './audit-index.js';

type EventForm = 'readable' | 'stored';

/** An actor as shown to auditors. `name`: of a key, otherwise `null`. */
type ActorView = Actor & Readonly<{ name: string | null }>;

export const actorView = (index: Pick<AuditIndex, 'keyName'>, { kind, id }: Actor): ActorView => ({
  kind,
  id,
  name: kind === 'key' ? index.keyName(id) : null,
});

/** The stored form (operations contract 3). */
const storedView = (event: RecordedEvent, index: number): object => {
  const stored = storedForm(event);
  return { index, position: `${event.position}`, ...stored, hash: leafHash(stored).toString('hex') };
};

/** The readable form (operations contract 2). */
const readableView = (event: RecordedEvent, index: number, actor: ActorView, data: JsonObject | null): object => {
  const { metadata, stream, revision, id, type } = event;
  return {
    index,
    position: `${event.position}`,
    stream,
    revision: Number(revision),
    id,
    type,
    time: metadata.time,
    actor,
    service: metadata.service,
    requestId: metadata.requestId,
    correlationId: metadata.correlationId,
    causationId: metadata.causationId,
    ...(metadata.traceparent !== undefined && { traceparent: metadata.traceparent }),
    schemaVersion: metadata.schemaVersion,
    data,
    hash: leafHash(storedForm(event)).toString('hex'),
  };
};

export type EventViewOptions = Readonly<{ form: EventForm; shown: MarkVisibility }>;

/** Events as shown to auditors. */
export class EventViews {
  constructor(
    private readonly codec: Pick<EventCodec, 'readable'>,
    private readonly index: AuditIndex,
    /** Leaf of a chained event, 32 bytes. @throws RangeError it is not chained yet */
    private readonly leafAt: (index: number) => Promise<Buffer>,
  ) {}

  /** @throws EventStoreUnavailable */
  async of(event: RecordedEvent, index: number, { form, shown }: EventViewOptions): Promise<object> {
    if (form === 'stored') return storedView(event, index);
    return readableView(event, index, actorView(this.index, event.metadata.actor), await this.dataOf(event, shown));
  }

  /** `null` if the data cannot be read: altered, or of a type that this version does not know. The stored form shows them anyway. */
  private async dataOf(event: RecordedEvent, shown: EventViewOptions['shown']): Promise<JsonObject | null> {
    try {
      return await this.codec.readable(event, shown);
    } catch (error) {
      if (error instanceof UnknownEventType || error instanceof SealBroken) return null;
      throw error;
    }
  }

  /** View of an event that is not in the log: only its leaf is left. */
  async gone(index: number, why: 'expired' | 'missing'): Promise<object> {
    const hash = await this.leafAt(index).catch((error: unknown) => {
      if (error instanceof RangeError) return null;
      throw error;
    });
    return { index, hash: hash?.toString('hex') ?? null, [why]: true };
  }
}
