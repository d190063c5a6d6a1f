import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON } from 'bson';
import { bsonBytes } from './bson-bytes.js';
import { DamagedExport } from './damaged-export.js';
import type { ReadDocument } from './documents.js';
import { type Fields } from './fields.js';

/** Bytes of documents kept in memory at a time, as BSON. */
const MEMORY_BYTES = 32 * 2 ** 20;

type Entry = Readonly<{ key: string; number: number; bytes: Uint8Array }>;

const byKey = (a: Entry, b: Entry): number => (a.key === b.key ? a.number - b.number : a.key < b.key ? -1 : 1);

const opened = ({ bytes }: Pick<Entry, 'bytes'>): ReadDocument => {
  const { id, place, fields } = BSON.deserialize(bytes) as Readonly<{ id: string; place: string; fields: Fields }>;
  return { id, place, fields };
};

/** BSON would store an invalid date as that of 1970. */
const hasInvalidDate = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  return value instanceof Date ? Number.isNaN(value.getTime()) : Object.values(value).some(hasInvalidDate);
};

const storable = (document: ReadDocument): ReadDocument => {
  const { id, place, fields } = document;
  return hasInvalidDate(fields) ? { id, place, broken: 'it has a date that cannot be read' } : document;
};

const writeRun = async (path: string, entries: readonly Entry[]): Promise<void> => {
  const file = await open(path, 'wx', 0o600); // exports contain secrets
  try {
    for (const { bytes } of entries) await file.write(bytes);
  } finally {
    await file.close();
  }
};

async function* readRun(path: string): AsyncGenerator<Entry> {
  for await (const { bytes } of bsonBytes(createReadStream(path, { highWaterMark: 2 ** 16 }))) {
    const { key, number } = BSON.deserialize(bytes) as Readonly<{ key: string; number: number }>;
    yield { key, number, bytes };
  }
}

/** Yields the smallest entry of all runs, repeatedly. */
async function* merged(runs: readonly AsyncIterator<Entry>[]): AsyncGenerator<Entry> {
  const heads = await Promise.all(runs.map(async (run) => ({ run, next: await run.next() })));
  for (;;) {
    let least: Entry | undefined;
    for (const { next } of heads) if (!next.done && (least === undefined || byKey(next.value, least) < 0)) least = next.value;
    if (least === undefined) return;
    const head = heads.find(({ next }) => next.value === least);
    yield least;
    if (head) head.next = await head.run.next();
  }
}

/**
 * The same documents by ascending key; documents with equal keys keep their order, and broken ones, such as those with invalid dates, come
 * first. Documents that do not fit into memory are stored in a temporary directory that only this account can read.
 * @throws DamagedExport, of the documents, after those before the damage
 */
export async function* sorted(documents: AsyncIterable<ReadDocument>, keyOf: (fields: Fields) => string): AsyncGenerator<ReadDocument> {
  let directory: string | undefined;
  let entries: Entry[] = [];
  let held = 0;
  let number = 0;
  let damage: DamagedExport | undefined;
  const paths: string[] = [];
  try {
    try {
      for await (const found of documents) {
        const document = storable(found);
        const { id, place, fields } = document;
        if (!fields) {
          yield document;
          continue;
        }
        const key = keyOf(fields);
        const bytes = BSON.serialize({ key, number: ++number, id, place, fields }, { ignoreUndefined: true });
        entries.push({ key, number, bytes });
        held += bytes.length;
        if (held < MEMORY_BYTES) continue;
        directory ??= await mkdtemp(join(tmpdir(), 'logbook-migrate-'));
        paths.push(join(directory, `${paths.length}.bson`));
        await writeRun(paths[paths.length - 1] as string, entries.sort(byKey));
        [entries, held] = [[], 0];
      }
    } catch (error) {
      if (!(error instanceof DamagedExport)) throw error;
      damage = error;
    }
    async function* rest(): AsyncGenerator<Entry> {
      yield* entries.sort(byKey);
    }
    for await (const entry of merged([...paths.map(readRun), rest()])) yield opened(entry);
    if (damage) throw damage;
  } finally {
    if (directory) await rm(directory, { recursive: true, force: true });
  }
}
