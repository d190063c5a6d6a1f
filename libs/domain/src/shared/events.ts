/** JSON as it is stored. `undefined` is not JSON: leave a member out instead. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
export type JsonObject = { readonly [member: string]: Json };

/** The place of an event in the whole log. It grows but may have gaps: compare it, never count with it. `0n` is before the first event. */
export type Position = bigint;
/** The place of an event in its stream, from `0n`, without gaps. */
export type Revision = bigint;

export type ServiceName = 'messaging' | 'accounting' | 'status' | 'ops';

/** Who caused an event. `id` names a key, user or token; it is never the credential itself. */
export type Actor = Readonly<{ kind: 'key' | 'user' | 'system'; id: string }>;

export type EventMetadata = Readonly<{
  /** When the command was accepted: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  time: string;
  actor: Actor;
  service: ServiceName;
  requestId: string;
  /** The whole conversation this event belongs to. */
  correlationId: string;
  /** The one message (request or event) that led directly to this event. */
  causationId: string;
  /** Version of the shape of `data`, from 1; upcasters lift older ones. */
  schemaVersion: number;
  /** Present when the caller named its intent: hashes of (caller, route, Idempotency-Key) and of the request body. */
  idempotency?: Readonly<{ key: string; body: string }>;
}>;

/** A fact as the domain speaks of it: a stable type string in the past tense, and plain JSON. */
export type DomainEvent = Readonly<{ type: string; data: object }>;

/** An event on its way to the log. `id` is a UUID (not nil); appends are idempotent on it. */
export type NewEvent = Readonly<{ id: string; type: string; data: JsonObject; metadata: EventMetadata }>;

/** An event as the log returns it. */
export type RecordedEvent = NewEvent &
  Readonly<{
    stream: string;
    revision: Revision;
    position: Position;
    /** When the log stored it: milliseconds since 1970-01-01 UTC. */
    recordedAt: number;
  }>;

/** `category-id`: the category is what stands before the first `-`, for example `status.tenants` in `status.tenants-global`. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
};
