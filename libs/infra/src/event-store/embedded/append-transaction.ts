import type { ExpectedRevision } from '#domain/shared/event-store.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { addCounts, type Databases, logHead, MAX_POSITION, type StreamHead, streamHead } from './databases.js';
import { DamagedEvent, decodeRecord, encodeRecord } from './event-record.js';
import type { PreparedEvent } from './prepare-append.js';

export type AppendOutcome =
  | Readonly<{ kind: 'written'; events: readonly RecordedEvent[] }>
  /** The stream holds these ids already; the place of the last one. */
  | Readonly<{ kind: 'repeated'; revision: number; position: number }>
  | Readonly<{ kind: 'conflict'; actual: bigint | 'no-stream' }>
  | Readonly<{ kind: 'refused'; why: string }>;

/**
 * One append, to be run inside a write transaction: looks first, writes after. LMDB keeps what a callback wrote before it threw, so
 * nothing that can be foreseen may fail after the first write; `beforeWriting` is called just before it.
 */
export const appendInTransaction = (
  db: Databases,
  stream: string,
  prepared: readonly PreparedEvent[],
  expected: ExpectedRevision,
  beforeWriting: () => void,
): AppendOutcome => {
  const head = streamHead(db, stream);
  const repeated = findRepeat(db, stream, prepared, head, expected);
  if (repeated.kind === 'repeated') return repeated;
  const partly = repeated.kind === 'partly' && (expected === 'any' || expected === 'stream-exists');
  if (partly || !isAsExpected(head, expected)) {
    return { kind: 'conflict', actual: head.revision < 0 ? 'no-stream' : BigInt(head.revision) };
  }
  return write(db, stream, prepared, head, beforeWriting);
};

const isAsExpected = (head: StreamHead, expected: ExpectedRevision): boolean => {
  if (expected === 'any') return true;
  if (expected === 'no-stream') return head.revision < 0;
  if (expected === 'stream-exists') return head.revision >= 0;
  return head.revision >= 0 && expected === BigInt(head.revision);
};

/** `partly`: the first event is in the stream, but not followed by the others. */
type Repeat = Readonly<{ kind: 'new' | 'partly' }> | Extract<AppendOutcome, { kind: 'repeated' }>;

/** How far back a writer without an exact expectation is recognised, in events. */
const RECOGNISED = 1_000;

/**
 * Looks for the ids where they would stand, had this append been made before: right after what the writer expected. No index of ids is
 * needed for that; only a writer that expects nothing exact has the end of the stream searched.
 */
const findRepeat = (
  db: Databases,
  stream: string,
  prepared: readonly PreparedEvent[],
  head: StreamHead,
  expected: ExpectedRevision,
): Repeat => {
  const first = firstOfRepeat(db, stream, prepared, head, expected);
  if (first === undefined) return { kind: 'new' };
  const last = first + prepared.length - 1;
  const same = prepared.every(({ event }, index) => idAt(db, stream, first + index) === event.id.toLowerCase());
  const entry = same ? db.streams.get([stream, last]) : undefined;
  return entry ? { kind: 'repeated', revision: last, position: entry[0] } : { kind: 'partly' };
};

const firstOfRepeat = (
  db: Databases,
  stream: string,
  [first]: readonly PreparedEvent[],
  head: StreamHead,
  expected: ExpectedRevision,
): number | undefined => {
  if (head.revision < 0 || !first) return undefined;
  if (expected === 'no-stream') return 0;
  if (typeof expected === 'bigint') return expected < BigInt(head.revision) ? Number(expected) + 1 : undefined;
  const id = first.event.id.toLowerCase();
  for (let revision = head.revision; revision >= head.first && revision > head.revision - RECOGNISED; revision--) {
    if (idAt(db, stream, revision) === id) return revision;
  }
  return undefined;
};

/** Nothing where the event is gone or damaged: then nobody can say that it is the one. */
const idAt = (db: Databases, stream: string, revision: number): string | undefined => {
  const position = db.streams.get([stream, revision])?.[0];
  if (position === undefined) return undefined;
  try {
    return decodeRecord(position, db.events.get(position)).id.toLowerCase();
  } catch (error) {
    if (error instanceof DamagedEvent) return undefined;
    throw error;
  }
};

const write = (
  db: Databases,
  stream: string,
  prepared: readonly PreparedEvent[],
  head: StreamHead,
  beforeWriting: () => void,
): AppendOutcome => {
  const log = logHead(db);
  if (log.position + prepared.length > MAX_POSITION) return { kind: 'refused', why: 'the embedded log has no positions left' };
  const recordedAt = Math.max(Date.now(), log.recordedAt); // a clock set back must not turn the log's time around
  const category = categoryOf(stream);
  const records = prepared.map(({ body }, index) => encodeRecord({ stream, revision: head.revision + 1 + index, recordedAt }, body));
  beforeWriting();
  for (const [index, record] of records.entries()) {
    const stored: unknown = db.events.putSync(log.position + 1 + index, record, { append: true });
    // The first put is also the check that the log's head is right: it fails before anything was written.
    if (stored === false) return { kind: 'refused', why: `the embedded log holds events beyond its head ${log.position}` };
  }
  const events = prepared.map(({ event }, index): RecordedEvent => {
    const revision = head.revision + 1 + index;
    const position = log.position + 1 + index;
    db.streams.putSync([stream, revision], [position, recordedAt]);
    db.categories.putSync([category, position], '');
    return { ...event, stream, revision: BigInt(revision), position: BigInt(position), recordedAt };
  });
  const bytes = prepared.reduce((sum, { body }) => sum + body.dataBytes, 0);
  addCounts(db, category, { events: prepared.length, streams: head.revision < 0 ? 1 : 0, bytes });
  db.heads.putSync(stream, { ...head, revision: head.revision + prepared.length });
  db.log.putSync('head', { position: log.position + prepared.length, recordedAt });
  return { kind: 'written', events };
};
