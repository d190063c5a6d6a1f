import type { Databases } from './databases.js';

/** A block in the index of its stream: revisions of its first and last event, position of its first one. */
export type IndexedBlock = Readonly<{ first: number; last: number; position: number; count: number; recordedAt: number }>;

type IndexValue = readonly [position: number, count: number, recordedAt: number];

const indexed = (last: number, [position, count, recordedAt]: IndexValue): IndexedBlock => ({
  first: last + 1 - count,
  last,
  position,
  count,
  recordedAt,
});

/** The block that holds a revision; `undefined` if it is deleted. `head` is the newest revision of the stream. */
export const blockAt = (db: Databases, stream: string, revision: number, head: number): IndexedBlock | undefined => {
  for (const block of blocksFrom(db, stream, revision, head)) return block.first <= revision ? block : undefined;
  return undefined;
};

/**
 * The block that holds `revision` and the blocks after it, up to `head`. Finish or `break` the loop within one turn of the event loop: an
 * open iterator pins old pages of the file.
 */
export function* blocksFrom(db: Databases, stream: string, revision: number, head: number): Generator<IndexedBlock> {
  // If `revision` is the last one of a block, this look-up replaces a cursor, which costs several times as much.
  const value = db.streams.get([stream, revision]);
  if (value) yield indexed(revision, value);
  const start = value ? revision + 1 : revision;
  if (start > head) return;
  for (const { key, value } of db.streams.getRange({ start: [stream, start], end: [stream, head + 1] })) yield indexed(key[1], value);
}

/** The block that holds `revision`, and the blocks before it that still exist, newest first. */
export function* blocksBackFrom(db: Databases, stream: string, revision: number, head: number): Generator<IndexedBlock> {
  let block = blockAt(db, stream, revision, head);
  while (block) {
    yield block;
    const last = block.first - 1;
    const value: IndexValue | undefined = last < 0 ? undefined : db.streams.get([stream, last]);
    block = value && indexed(last, value);
  }
}
