import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dataFile } from '#infra/platform/lmdb/examination.js';
import { isThisBoot } from '#infra/platform/program/process-origin.js';

/** Bytes of a meta page in a record, and the places of the page size and of the number of its transaction in them. */
const META_BYTES = 160;
const PAGE_SIZE_AT = 48;
const TRANSACTION_AT = 152;

const RECORD = /^(?:open\.\d+|restore-point)$/;

/** A record of a process that the machine stopped. `metaPages`: those of its last flush, whose pages later commits left alone. */
type Stopped = Readonly<{ file: string; metaPages: Buffer; transaction: number }>;

/**
 * Returns the history to its last flush if the machine stopped while a release had it open: unlike other derived data, it cannot be built again. Each
 * process of 1.0.0 wrote a record `open.<pid>` with the boot, its start, the inode of the data file, and the meta pages of that flush; later releases,
 * which only read the history, wrote `restore-point` without the start. The newest flush counts: commits after it may have written over pages of those before. A
 * history with a record without meta pages is left as it is.
 */
export const returnToLastFlush = (path: string, report: (message: string) => void): void => {
  const stopped = stoppedIn(path);
  const newest = stopped.at(-1);
  if (!newest || stopped.some(({ metaPages }) => metaPages.length !== 2 * META_BYTES)) return;
  putBack(dataFile(path), newest.metaPages);
  for (const { file } of stopped) rmSync(file); // the one that counts goes last
  report(`${path} was not closed before the machine stopped: goes on from what was on disk`);
};

/** The records, by the transaction of their flush. */
const stoppedIn = (path: string): readonly Stopped[] => {
  const inode = String(statSync(dataFile(path), { bigint: true, throwIfNoEntry: false })?.ino);
  const records = readdirSync(path).flatMap((name): readonly Stopped[] => {
    if (!RECORD.test(name)) return [];
    const file = join(path, name);
    const [boot = '', ...words] = readFileSync(file, 'utf8').split(' ');
    const [recorded, text = ''] = name.startsWith('open') ? words.slice(1) : words;
    const metaPages = Buffer.from(recorded === inode ? text : '', 'base64');
    return isThisBoot(boot) ? [] : [{ file, metaPages, transaction: transactionOf(metaPages) }];
  });
  return records.sort((one, other) => one.transaction - other.transaction);
};

/** Commits write the meta pages in turn. */
const transactionOf = (metaPages: Buffer): number =>
  metaPages.length === 2 * META_BYTES
    ? Math.max(...[0, META_BYTES].map((start) => Number(metaPages.readBigUInt64LE(start + TRANSACTION_AT))))
    : 0;

const putBack = (file: string, metaPages: Buffer): void => {
  const descriptor = openSync(file, 'r+');
  try {
    for (const page of [0, 1]) writeSync(descriptor, metaPages, page * META_BYTES, META_BYTES, page * metaPages.readUInt32LE(PAGE_SIZE_AT));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
