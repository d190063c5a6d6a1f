import { leafHash, storedData } from '#domain/integrity/leaf.js';
import type { StoredForm } from '#domain/integrity/leaf-text.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';

export const EXPORT_FORMAT = 1;

/** First line of an export. `from`: index of its first chained event. `size`, `root`: of the chain including its last event. */
export type ExportHeader = Readonly<{
  logbook: 'export';
  format: number;
  installation: string;
  from: number;
  size: number;
  /** Lower-case hex. */
  root: string;
  /** Present in an export that continues: root at size `from`, which the importing log must have. */
  fromRoot?: string;
}>;

/**
 * An event as it must be written again: with its whole data, also of messages, whose stored form has digests. If the event is not chained,
 * `index` is null and there is no hash.
 */
export type EventLine = Readonly<{
  index: number | null;
  position: string;
  stream: string;
  revision: number;
  id: string;
  type: string;
  metadata: JsonObject;
  data: JsonObject;
  hash?: string;
}>;

/** A chained event that has left the log. */
export type ExpiredLine = Readonly<{ index: number; hash: string; expired: true }>;

/** Last line. `lines`: number of lines between the first and this one. */
export type EndLine = Readonly<{ end: true; lines: number }>;

/** `chained`: index and hash; null for events that are not chained. */
export const eventLine = (event: RecordedEvent, chained: Readonly<{ index: number; hash: string }> | null): EventLine => ({
  index: chained?.index ?? null,
  position: `${event.position}`,
  stream: event.stream,
  revision: Number(event.revision),
  id: event.id,
  type: event.type,
  metadata: event.metadata,
  data: event.data,
  ...(chained && { hash: chained.hash }),
});

/** Leaf of the event of a line, computed from the line. */
export const leafOfLine = ({ stream, revision, id, type, metadata, data }: StoredForm): Buffer =>
  leafHash({ stream, revision, id, type, metadata, data: storedData({ type, data }) });
