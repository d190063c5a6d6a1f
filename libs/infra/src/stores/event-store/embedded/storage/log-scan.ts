import type { RecordedEvent } from '#domain/shared/events.js';
import { Block } from './block.js';
import { type Databases, logHead } from './databases.js';

/** One entry of the stored log: an event, or the position of an unreadable record. */
type ScannedRecord = Readonly<{ event: RecordedEvent }> | Readonly<{ unreadable: number }>;

/** Whole blocks only. `next`: start of the next page; `null`: this page reaches the head. */
export type ScannedPage = Readonly<{ records: readonly ScannedRecord[]; next: number | null }>;

/** A page ends after this many characters of blocks. */
const PAGE_CHARACTERS = 2 ** 20;

/** The blocks from key `from` on, including those behind damaged ones, read without the indexes. Other reads end at damage. */
export const scanBlocks = (db: Databases, from: number): ScannedPage => {
  const head = logHead(db).position;
  const records: ScannedRecord[] = [];
  let characters = 0;
  for (const { key, value } of db.blocks.range(from, Math.max(head + 1, from))) {
    for (const record of recordsOf(key, value)) records.push(record);
    characters += value.length;
    if (characters >= PAGE_CHARACTERS) return { records, next: key + 1 };
  }
  return { records, next: null };
};

/** Start of a scan that covers the event at a position and all later ones. */
export const scanStart = (db: Databases, position: number): number => db.blocks.lastUpTo(position) ?? 0;

const recordsOf = (position: number, record: string): readonly ScannedRecord[] => {
  try {
    return Block.decode(position, record)
      .events()
      .map((event) => ({ event }));
  } catch {
    return [{ unreadable: position }]; // a wrong checksum, or a right one over content that is no block
  }
};
