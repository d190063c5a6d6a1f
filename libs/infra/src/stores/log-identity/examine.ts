import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position } from '#domain/shared/events.js';
import type { Progress } from '#projections/shared/read-store.js';
import { LogIdentity } from './log-identity.js';
import { decodeOrigin, emptyOrigin, encodeOrigin, type LogOrigin, type LogPlace } from './origin.js';

/**
 * Result of checking whether the documents of a namespace come from this log. `why` is a sentence for operators.
 *
 * `same`: they do. `unrecorded`: nothing contradicts it, but their origin was not stored; store `origin`. `ahead`: they do, but the
 * checkpoint is beyond the end that this log had then; continue after `position`, with `origin`. `other`: they do not.
 */
export type Finding =
  | Readonly<{ kind: 'same' }>
  | Readonly<{ kind: 'unrecorded'; origin: string }>
  | Readonly<{ kind: 'ahead'; position: Position; origin: string; why: string }>
  | Readonly<{ kind: 'other'; why: string }>;

type ExaminedLog = Readonly<{
  events: Pick<EventStore, 'append' | 'readStream' | 'end'>;
  /** Categories whose streams lose events after some time, always from their start. */
  expiring: readonly string[];
}>;

/**
 * Compares the origin of a namespace with the log.
 *
 * The last applied event is looked up in its place. It may be gone if its stream expires. In that case, and for events between it and the
 * checkpoint, the openings decide: a process that continues to write in a copy of a log opens it first.
 * @throws EventStoreUnavailable
 */
export const examine = async (log: ExaminedLog, progress: Progress): Promise<Finding> => {
  const { checkpoint } = progress;
  const stored = progress.origin === null ? null : readable(progress.origin);
  if (stored === 'unreadable') return other('what is stored of their origin cannot be read');
  if (stored?.foreign !== undefined) return other(stored.foreign);
  const installation = await new LogIdentity(log.events).installation();
  if (checkpoint === 0n) return installation === null ? same : startOf(installation, stored);
  if (stored && installation !== stored.installation)
    return other(`they come from installation ${stored.installation}, the log is that of ${installation ?? 'none'}`);
  return installation === null ? same : await examineFrom(log, checkpoint, installation, stored);
};

/** Checks documents that contain events of this installation, according to their origin. */
const examineFrom = async (log: ExaminedLog, checkpoint: Position, installation: string, stored: LogOrigin | null): Promise<Finding> => {
  const identity = new LogIdentity(log.events);
  const end = await log.events.end();
  const opened = await identity.openingUpTo(checkpoint);
  // A version of the program without origins has moved the checkpoint. It is unknown which events it applied.
  if (stored?.checkpoint !== checkpoint) {
    if (end < checkpoint) return other(endsBefore(end, checkpoint));
    return { kind: 'unrecorded', origin: encodeOrigin({ installation, checkpoint, opened, last: 'unknown' }) };
  }
  const confirmed = await confirm(log, stored.last);
  if (confirmed === 'other') return other('the log does not have the last event they show');
  const why = end < checkpoint ? endsBefore(end, checkpoint) : openedElsewhere(stored.opened, opened, checkpoint);
  if (why === null) return same;
  if (confirmed === 'unknown') return other(why);
  const origin = { ...stored, checkpoint: confirmed, opened: await identity.openingUpTo(confirmed) };
  return { kind: 'ahead', position: confirmed, origin: encodeOrigin(origin), why };
};

const readable = (text: string): LogOrigin | 'unreadable' => {
  try {
    return decodeOrigin(text);
  } catch {
    return 'unreadable';
  }
};

const same: Finding = { kind: 'same' };
const other = (why: string): Finding => ({ kind: 'other', why });

const startOf = (installation: string, stored: LogOrigin | null): Finding =>
  stored?.installation === installation && stored.checkpoint === 0n
    ? same
    : { kind: 'unrecorded', origin: encodeOrigin(emptyOrigin(installation, true)) };

const endsBefore = (end: Position, checkpoint: Position): string => `the log ends at ${end}, before their checkpoint ${checkpoint}`;

/** Writers unknown to the documents may have appended events before the checkpoint. */
const openedElsewhere = (known: LogPlace | null, found: LogPlace | null, checkpoint: Position): string | null =>
  known?.id === found?.id && known?.position === found?.position
    ? null
    : `the newest opening of the log before their checkpoint ${checkpoint} is at ${found?.position ?? 0n}, they know the one at ${known?.position ?? 0n}`;

/** Position up to which the documents certainly come from this log. `unknown`: the last event has expired, or was never recorded. */
const confirm = async ({ events, expiring }: ExaminedLog, last: LogOrigin['last']): Promise<Position | 'unknown' | 'other'> => {
  if (last === null) return 0n;
  if (last === 'unknown') return 'unknown';
  const { stream, revision, id, position } = last;
  const [found] = await events.readStream(stream, { from: revision, limit: 1 });
  if (found?.revision === revision) return found.id === id && found.position === position ? position : 'other';
  if (!expiring.includes(categoryOf(stream))) return 'other';
  if (found) return 'unknown';
  // A stream expires from its start. Its remaining events are older, so this event was never written.
  const [newest] = await events.readStream(stream, { direction: 'backwards', limit: 1 });
  return newest ? 'other' : 'unknown';
};
