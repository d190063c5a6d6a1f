/** JSON as it is stored. `undefined` is not JSON: leave a member out instead. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
export type JsonObject = { readonly [member: string]: Json };

/** Position of an event in the whole log. Positions grow but have gaps: compare them, never count with them. `0n` is before the first event. */
export type Position = bigint;
/** Number of an event in its stream, from `0n`, without gaps. */
export type Revision = bigint;

export type ServiceName = 'messaging' | 'accounting' | 'status' | 'ops';

/** Actor that caused an event. `id` identifies a key, user or token; it is never the credential itself. */
export type Actor = Readonly<{ kind: 'key' | 'user' | 'system'; id: string }>;

export type EventMetadata = Readonly<{
  /** Time at which the command was accepted: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
  time: string;
  actor: Actor;
  service: ServiceName;
  requestId: string;
  /** The whole conversation this event belongs to: that of its cause. */
  correlationId: string;
  /**
   * The one message (request or event) that led directly to this event; the first of several. If time, the configuration or a start led to it, its
   * own request id.
   */
  causationId: string;
  /** The span of a distributed trace that led to this event, as in the header of W3C Trace Context. Absent if the caller sent none. */
  traceparent?: string;
  /** Schema version of `data`, from 1; upcasters turn older ones into the current one. */
  schemaVersion: number;
  /** Present if the caller sent an `Idempotency-Key`: hashes of (caller, route, key) and of the request body. */
  idempotency?: Readonly<{ key: string; body: string }>;
}>;

/** An event of the domain: a stable type string in the past tense, and plain JSON. */
export type DomainEvent = Readonly<{ type: string; data: object }>;

/**
 * An event to append. `id` is a UUID (not nil); appends are idempotent on it. `dataText`: the data as compact JSON, if already computed.
 */
export type NewEvent = Readonly<{ id: string; type: string; data: JsonObject; metadata: EventMetadata; dataText?: string | undefined }>;

/** An event as returned by the log. */
export type RecordedEvent = Omit<NewEvent, 'dataText'> &
  Readonly<{
    stream: string;
    revision: Revision;
    position: Position;
    /** Time at which the log stored it: milliseconds since 1970-01-01 UTC. */
    recordedAt: number;
  }>;

/**
 * Type of an event in one of our streams that is not in Logbook's format. No catalogue lists it, so no handler processes it by mistake.
 * Its data are {@link UnreadableData}; its metadata name the actor `unknown`.
 */
export const UNREADABLE = 'UnreadableEvent';

/** `type`: as stored. `data`, `metadata`: the stored bytes in base64. */
export type UnreadableData = Readonly<{ reason: string; type: string; data: string; metadata: string }>;

/** Streams are named `category-id`: the category of `status.tenants-global` is `status.tenants`, the part before the first `-`. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
};
