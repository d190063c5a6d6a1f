import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dataFile } from '#infra/platform/lmdb/examination.js';
import { isThisBoot } from '#infra/platform/program/process-origin.js';

/** Bytes of a meta page in a record, and the place of the page size in them. */
const META_BYTES = 160;
const PAGE_SIZE_AT = 48;

/**
 * Returns the history to its last flush if the machine stopped while a release wrote it: unlike other derived data, it cannot be built again. The
 * record `open.<pid>` has the boot, the start of the process, the inode of the data file, and the meta pages of that flush, whose pages later commits
 * left alone. A history without them is left as it is.
 */
export const returnToLastFlush = (path: string, report: (message: string) => void): void => {
  for (const name of readdirSync(path).filter((one) => /^open\.\d+$/.test(one))) {
    const [boot = '', , inode, text = ''] = readFileSync(join(path, name), 'utf8').split(' ');
    const metaPages = Buffer.from(text, 'base64');
    const isOfFile = inode === String(statSync(dataFile(path), { bigint: true, throwIfNoEntry: false })?.ino);
    if (isThisBoot(boot) || !isOfFile || metaPages.length !== 2 * META_BYTES) continue;
    putBack(dataFile(path), metaPages);
    rmSync(join(path, name));
    report(`${path} was not closed before the machine stopped: goes on from what was on disk`);
  }
};

const putBack = (file: string, metaPages: Buffer): void => {
  const descriptor = openSync(file, 'r+');
  try {
    for (const page of [0, 1]) writeSync(descriptor, metaPages, page * META_BYTES, META_BYTES, page * metaPages.readUInt32LE(PAGE_SIZE_AT));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
