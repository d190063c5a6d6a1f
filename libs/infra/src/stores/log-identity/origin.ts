import { LOG_CATEGORY, LOG_STREAM } from '#domain/operations/log-events.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';

/** Place of an event. Ids are random, so the same id in the same place proves the same log up to there. */
export type LogPlace = Readonly<{ position: Position; id: string }>;
type StreamPlace = LogPlace & Readonly<{ stream: string; revision: bigint }>;

/**
 * Log that the documents of a namespace come from, as of one checkpoint. `opened`: newest opening of the log up to it. `last`: newest event
 * of the projection's categories up to it; `unknown` if the namespace is older than this record. `building`: the documents have been served
 * since before they first showed the whole log. `foreign`: reason why they do not come from the log of the installation.
 */
export type LogOrigin = Readonly<{
  installation: string;
  checkpoint: Position;
  opened: LogPlace | null;
  last: StreamPlace | null | 'unknown';
  building?: boolean;
  foreign?: string;
}>;

/** Encodes an origin for storage beside the checkpoint. It is short because every commit writes it. */
export const encodeOrigin = ({ installation, checkpoint, opened, last, building, foreign }: LogOrigin): string =>
  JSON.stringify({
    installation,
    checkpoint: `${checkpoint}`,
    opened: opened && [`${opened.position}`, opened.id],
    last: last && (last === 'unknown' ? last : [`${last.position}`, last.id, last.stream, `${last.revision}`]),
    ...(building && { building }),
    ...(foreign && { foreign }),
  });

/** @throws SyntaxError, TypeError the text was not written by `encodeOrigin` */
export const decodeOrigin = (text: string): LogOrigin => {
  const { installation, checkpoint, opened, last, building = false, foreign } = JSON.parse(text);
  const place = ([position, id]: readonly [string, string]): LogPlace => ({ position: BigInt(position), id });
  const inStream = ([position, id, stream, revision]: readonly [string, string, string, string]): StreamPlace => ({
    ...place([position, id]),
    stream,
    revision: BigInt(revision),
  });
  return {
    installation,
    checkpoint: BigInt(checkpoint),
    opened: opened && place(opened),
    last: last && (last === 'unknown' ? last : inStream(last)),
    ...(building && { building }),
    ...(foreign && { foreign }),
  };
};

/** Origin of a namespace without documents. @param building whether it is served at once. Default `false` */
export const emptyOrigin = (installation: string, building = false): LogOrigin => ({
  installation,
  checkpoint: 0n,
  opened: null,
  last: null,
  ...(building && { building }),
});

const placeOf = ({ position, id, stream, revision }: RecordedEvent): StreamPlace => ({ position, id, stream, revision });

/** Categories to read so that openings of the log arrive in order. */
export const withOpenings = (categories: readonly string[]): readonly string[] => [...categories, LOG_CATEGORY];

/** Events of the projection's own categories. Openings of the log are for the {@link OriginTrail} only. */
export const withoutOpenings = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.some(({ stream }) => stream === LOG_STREAM) ? events.filter(({ stream }) => stream !== LOG_STREAM) : events;

/** Keeps the origin of a namespace up to date while events are applied to it. */
export class OriginTrail {
  private origin: LogOrigin | null;

  /** @param text the stored origin. With `null` the origin stays unknown */
  constructor(text: string | null, checkpoint: Position) {
    const origin = text === null ? null : decodeOrigin(text);
    this.origin = origin?.checkpoint === checkpoint ? origin : null;
  }

  /** The current state, to pass to `reset` before events are repeated. */
  get state(): LogOrigin | null {
    return this.origin;
  }

  reset(state: LogOrigin | null): void {
    this.origin = state;
  }

  /** Returns whether the documents have never shown the whole log. */
  get isBuilding(): boolean {
    return this.origin?.building === true;
  }

  /** Records that the documents show the whole log. */
  complete(): void {
    if (!this.origin?.building) return;
    const { building: _, ...whole } = this.origin;
    this.origin = whole;
  }

  /** Records applied events, in log order, each once, including openings. */
  passed(events: readonly RecordedEvent[]): void {
    if (!this.origin) return;
    const opened = events.findLast(({ stream }) => stream === LOG_STREAM);
    const last = events.findLast(({ stream }) => stream !== LOG_STREAM);
    if (opened) this.origin = { ...this.origin, opened: { position: opened.position, id: opened.id } };
    if (last) this.origin = { ...this.origin, last: placeOf(last) };
  }

  /** The origin to store with this checkpoint; `undefined` if it is unknown. */
  at(checkpoint: Position): string | undefined {
    return this.origin ? encodeOrigin({ ...this.origin, checkpoint }) : undefined;
  }
}
