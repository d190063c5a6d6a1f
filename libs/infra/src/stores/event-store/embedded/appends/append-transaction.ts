import { DamagedBlock } from '#domain/shared/damaged-log.js';
import { type AppendResult, EventStoreUnavailable, type ExpectedRevision, WrongExpectedRevision } from '#domain/shared/event-store.js';
import { categoryOf, type NewEvent, type RecordedEvent } from '#domain/shared/events.js';
import { Block, encodeBlock } from '#infra/stores/event-store/embedded/storage/block.js';
import {
  addCounts,
  type Databases,
  logHead,
  MAX_POSITION,
  type StreamHead,
  streamHead,
} from '#infra/stores/event-store/embedded/storage/databases.js';
import { blocksBackFrom, blocksFrom, type IndexedBlock } from '#infra/stores/event-store/embedded/storage/stream-index.js';
import type { PreparedBlock } from './prepare-append.js';

/** A written event, with the size of the JSON text of its data in bytes. */
export type WrittenEvent = Readonly<{ event: RecordedEvent; bytes: number }>;

type AppendOutcome =
  | Readonly<{ kind: 'written'; events: readonly WrittenEvent[] }>
  /** The stream already holds these ids; place of the last one. */
  | Readonly<{ kind: 'repeated'; revision: number; position: number }>
  | Readonly<{ kind: 'conflict'; actual: bigint | 'no-stream' }>
  | Readonly<{ kind: 'refused'; why: string }>;

/** `recordedAt`: set for events imported from another log; default now. */
type AppendExpectation = Readonly<{ expected: ExpectedRevision; recordedAt?: number | undefined }>;

/**
 * Runs one append inside a write transaction: reads first, writes after. LMDB keeps what a callback wrote before it threw, so nothing
 * foreseeable may fail after the first write. `beforeWriting` is called just before it.
 */
export const appendInTransaction = (
  db: Databases,
  stream: string,
  blocks: readonly PreparedBlock[],
  { expected, recordedAt = Date.now() }: AppendExpectation,
  beforeWriting: () => void,
): AppendOutcome => {
  const head = streamHead(db, stream);
  const repeated = findRepeat(db, stream, blocks, head, expected);
  if (repeated.kind === 'repeated') return repeated;
  if ((repeated.kind === 'partly' && typeof expected === 'object') || !isAsExpected(head, expected)) {
    return { kind: 'conflict', actual: head.revision < 0 ? 'no-stream' : BigInt(head.revision) };
  }
  return write(db, stream, blocks, { head, recordedAt }, beforeWriting);
};

const isAsExpected = (head: StreamHead, expected: ExpectedRevision): boolean => {
  if (expected === 'any' || typeof expected === 'object') return true;
  if (expected === 'no-stream') return head.revision < 0;
  return head.revision >= 0 && expected === BigInt(head.revision);
};

/** `partly`: the first event is in the stream, but not followed by the others. */
type Repeat = Readonly<{ kind: 'new' | 'partly' }> | Extract<AppendOutcome, { kind: 'repeated' }>;

/**
 * Looks for the ids where an earlier attempt of this append would have written them: right after the revision that the writer expected, or anywhere
 * after the one that it knew. That needs no index of ids.
 */
const findRepeat = (
  db: Databases,
  stream: string,
  blocks: readonly PreparedBlock[],
  head: StreamHead,
  expected: ExpectedRevision,
): Repeat => {
  if (expected === 'any' || (typeof expected === 'object' && !expected.sentBefore)) return { kind: 'new' };
  const known = typeof expected === 'object' ? expected.from : expected;
  const possible = known === 'no-stream' ? 0 : Number(known) + 1;
  if (head.revision < possible) return { kind: 'new' };
  const ids = blocks.flatMap(({ events }) => events.map(({ id }) => id.toLowerCase()));
  const first = typeof expected === 'object' ? firstOfRepeat(db, stream, ids[0], head, possible) : possible;
  if (first === undefined) return { kind: 'new' };
  return sameFrom(db, stream, first, ids, head) ?? { kind: 'partly' };
};

/** Place of the last of these ids, if the stream holds all of them from `first` on. */
const sameFrom = (
  db: Databases,
  stream: string,
  first: number,
  ids: readonly string[],
  head: StreamHead,
): Extract<AppendOutcome, { kind: 'repeated' }> | undefined => {
  let next = first;
  for (const block of blocksFrom(db, stream, first, head.revision)) {
    const found = idsOf(db, block);
    for (; next <= block.last; next++) {
      if (next < block.first || found[next - block.first] !== ids[next - first]) return undefined;
      if (next - first === ids.length - 1) return { kind: 'repeated', revision: next, position: block.position + next - block.first };
    }
  }
  return undefined;
};

const firstOfRepeat = (db: Databases, stream: string, id: string | undefined, head: StreamHead, possible: number): number | undefined => {
  const oldest = Math.max(head.first, possible);
  for (const block of blocksBackFrom(db, stream, head.revision, head.revision)) {
    const index = idsOf(db, block).lastIndexOf(id);
    if (index >= 0 && block.first + index >= oldest) return block.first + index;
    if (block.first <= oldest) return undefined;
  }
  return undefined;
};

/** Ids of the events in a block. Empty if the block is damaged, because a match cannot be proved then. */
const idsOf = (db: Databases, { position }: IndexedBlock): readonly (string | undefined)[] => {
  try {
    return Block.decode(position, db.blocks.get(position))
      .events()
      .map(({ id }) => id.toLowerCase());
  } catch (error) {
    if (error instanceof DamagedBlock) return [];
    throw error;
  }
};

const write = (
  db: Databases,
  stream: string,
  blocks: readonly PreparedBlock[],
  { head, recordedAt: wanted }: Readonly<{ head: StreamHead; recordedAt: number }>,
  beforeWriting: () => void,
): AppendOutcome => {
  const log = logHead(db);
  const count = blocks.reduce((sum, { events }) => sum + events.length, 0);
  if (log.position + count > MAX_POSITION) return { kind: 'refused', why: 'the embedded log has no positions left' };
  const recordedAt = Math.max(wanted, log.recordedAt); // a clock that was set back must not make times in the log decrease
  const placed = place(blocks, head.revision + 1, log.position + 1);
  beforeWriting();
  for (const { position, revision, texts, metadataText } of placed) {
    // The first put also checks the head of the log: it fails before anything is written.
    if (!db.blocks.append(position, encodeBlock({ stream, revision, position, recordedAt }, texts, metadataText)))
      return { kind: 'refused', why: `the embedded log holds events beyond its head ${log.position}` };
  }
  const category = categoryOf(stream);
  const written: WrittenEvent[] = [];
  let bytes = 0;
  for (const { position, revision, events, texts } of placed) {
    const last = events.length - 1;
    db.streams.putSync([stream, revision + last], [position, events.length, recordedAt]);
    db.categories.putSync([category, position + last], events.length);
    for (const [index, event] of events.entries()) {
      const dataBytes = texts[index]?.dataBytes ?? 0;
      bytes += dataBytes;
      written.push({ event: recorded(event, stream, revision + index, position + index, recordedAt), bytes: dataBytes });
    }
  }
  addCounts(db, category, { events: count, streams: head.revision < 0 ? 1 : 0, bytes });
  db.heads.put(stream, { ...head, revision: head.revision + count });
  // The sweep leaves out a stream without events.
  if (head.first > head.revision && (head.maxAgeSeconds || head.maxCount)) db.retained.putSync(stream, '');
  db.log.put('head', { position: log.position + count, recordedAt });
  return { kind: 'written', events: written };
};

type PlacedBlock = PreparedBlock & Readonly<{ revision: number; position: number }>;

/** `revision` and `position` are those of the first event. */
const place = (blocks: readonly PreparedBlock[], revision: number, position: number): readonly PlacedBlock[] => {
  let before = 0;
  return blocks.map((block) => {
    const placed = { ...block, revision: revision + before, position: position + before };
    before += block.events.length;
    return placed;
  });
};

const recorded = (
  { id, type, metadata, data }: NewEvent,
  stream: string,
  revision: number,
  position: number,
  recordedAt: number,
): RecordedEvent => ({ stream, revision: BigInt(revision), position: BigInt(position), recordedAt, id, type, metadata, data });

/** Converts an outcome to the result of `append`. @throws WrongExpectedRevision, EventStoreUnavailable */
export const resultOf = (outcome: AppendOutcome, stream: string, expected: ExpectedRevision): AppendResult => {
  switch (outcome.kind) {
    case 'written':
      return lastOf(outcome.events);
    case 'repeated':
      return { revision: BigInt(outcome.revision), position: BigInt(outcome.position) };
    case 'conflict':
      throw new WrongExpectedRevision(stream, expected, outcome.actual);
    case 'refused':
      throw new EventStoreUnavailable(outcome.why);
  }
};

/** Result of an append, taken from its events. */
const lastOf = (events: readonly WrittenEvent[]): AppendResult => {
  const last = events.at(-1)?.event;
  if (!last) throw new Error('an append of no events was written');
  return { revision: last.revision, position: last.position };
};
