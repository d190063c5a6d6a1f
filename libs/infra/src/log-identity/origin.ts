import { LOG_CATEGORY, LOG_STREAM } from '#domain/operations/log-events.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';

/** Which event stands where. Ids are random, so the same id in the same place means the same log up to there. */
export type Place = Readonly<{ position: Position; id: string }>;
export type StreamPlace = Place & Readonly<{ stream: string; revision: bigint }>;

/**
 * Which log the documents of a namespace come from, as of one checkpoint. `opened`: the newest opening of the log up to it. `last`: the newest
 * event of the projection's categories up to it; `unknown` where the namespace is older than this record.
 */
export type Origin = Readonly<{ installation: string; checkpoint: Position; opened: Place | null; last: StreamPlace | null | 'unknown' }>;

/** An origin as it is stored beside the checkpoint. Short: it is written with every commit. */
export const encodeOrigin = ({ installation, checkpoint, opened, last }: Origin): string =>
  JSON.stringify({
    installation,
    checkpoint: `${checkpoint}`,
    opened: opened && [`${opened.position}`, opened.id],
    last: last && (last === 'unknown' ? last : [`${last.position}`, last.id, last.stream, `${last.revision}`]),
  });

/** @throws SyntaxError, TypeError not written by `encodeOrigin` */
export const decodeOrigin = (text: string): Origin => {
  const { installation, checkpoint, opened, last } = JSON.parse(text);
  const place = ([position, id]: readonly [string, string]): Place => ({ position: BigInt(position), id });
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
  };
};

/** That of a namespace without documents. */
export const emptyOrigin = (installation: string): Origin => ({ installation, checkpoint: 0n, opened: null, last: null });

const placeOf = ({ position, id, stream, revision }: RecordedEvent): StreamPlace => ({ position, id, stream, revision });

/** What a reader of these categories asks the log for, to learn of its openings in their place. */
export const withOpenings = (categories: readonly string[]): readonly string[] => [...categories, LOG_CATEGORY];

/** Events of the projection's own categories: openings of the log are for the {@link OriginTrail} alone. */
export const withoutOpenings = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.some(({ stream }) => stream === LOG_STREAM) ? events.filter(({ stream }) => stream !== LOG_STREAM) : events;

/** Keeps the origin of a namespace up to date while events are applied to it. */
export class OriginTrail {
  private origin: Origin | null;

  /** `text`: as it is stored; with `null` nothing is known, and nothing gets known. */
  constructor(text: string | null, checkpoint: Position) {
    const origin = text === null ? null : decodeOrigin(text);
    this.origin = origin?.checkpoint === checkpoint ? origin : null;
  }

  /** What is known, to go back to by `reset` when what was passed since is passed again. */
  get state(): Origin | null {
    return this.origin;
  }

  reset(state: Origin | null): void {
    this.origin = state;
  }

  /** In log order, each event once, openings among them. */
  passed(events: readonly RecordedEvent[]): void {
    if (!this.origin) return;
    const opened = events.findLast(({ stream }) => stream === LOG_STREAM);
    const last = events.findLast(({ stream }) => stream !== LOG_STREAM);
    if (opened) this.origin = { ...this.origin, opened: { position: opened.position, id: opened.id } };
    if (last) this.origin = { ...this.origin, last: placeOf(last) };
  }

  /** As it is to be stored with this checkpoint; nothing when nothing is known. */
  at(checkpoint: Position): string | undefined {
    return this.origin ? encodeOrigin({ ...this.origin, checkpoint }) : undefined;
  }
}
