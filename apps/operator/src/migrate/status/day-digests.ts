import { createHash } from 'node:crypto';
import type { Day } from '#domain/shared/time.js';
import type { ExportedFile } from '../read/exported-files.js';
import { type Fields, quietly } from '../read/fields.js';
import { dayOfList } from './documents/members.js';
import type { StatusMigration } from './row.js';

/** Digests of lists by day: equal if they have the same items, in any order. */
type DayDigests = ReadonlyMap<Day, string>;

const LANES = 8;

/** Adds the hash of an item to that of a list: independent of the order, but not of the number of items. */
const add = (sum: Uint32Array, item: object): void => {
  const digest = createHash('sha256').update(JSON.stringify(item)).digest();
  for (let lane = 0; lane < LANES; lane++) sum[lane] = (sum[lane] ?? 0) + digest.readUInt32LE(lane * 4);
};

/** Sorts members, so that equal items have the same text. */
export const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
};

/** Reads the whole file; documents that cannot be taken over do not count. */
export const dayDigests = async (
  migration: StatusMigration,
  file: ExportedFile | undefined,
  itemOf: (fields: Fields) => object,
): Promise<DayDigests> => {
  const sums = new Map<Day, Uint32Array>();
  if (!file) return new Map();
  for await (const { fields } of migration.read(file, `looking through ${file.collection}`)) {
    const found = quietly(() => ({ day: dayOfList(fields), item: itemOf(fields) }));
    if (!found) continue;
    const sum = sums.get(found.day) ?? new Uint32Array(LANES);
    sums.set(found.day, sum);
    add(sum, ordered(found.item) as object);
  }
  return new Map([...sums].map(([day, sum]) => [day, Buffer.from(sum.buffer).toString('hex')]));
};

/**
 * Days that must be written: a day on which every list equals that of the previous day is skipped, because a read takes the closest day. A
 * day that only some of the lists have counts, because lists by report combine those of one day.
 */
export const daysToWrite = (lists: readonly DayDigests[]): ReadonlySet<Day> => {
  const days = [...new Set(lists.flatMap((list) => [...list.keys()]))].sort();
  return new Set(
    days.filter((day, index) => {
      const before = days[index - 1];
      return before === undefined || !lists.every((list) => list.get(day) === list.get(before));
    }),
  );
};
