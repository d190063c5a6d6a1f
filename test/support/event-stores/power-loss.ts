import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFile, newestTransactionOf, PAGE_HEADER, readNumber } from '#infra/platform/lmdb/data-file.js';
import { PAGE_SIZE } from '#infra/platform/lmdb/environment.js';

const OVERFLOW = 0x04;
const LAST_PAGE_AT = PAGE_HEADER + 120;

/** Makes what a killed process has left that of another boot, as it is after the machine was started again. */
export const reboot = (path: string): void => {
  const [lock, point] = [join(path, 'lock'), join(path, 'restore-point')];
  const [pid, start] = readlinkSync(lock).split(':');
  rmSync(lock);
  symlinkSync([pid, start, 'another-boot'].join(':'), lock);
  if (existsSync(point)) writeFileSync(point, ['another-boot', ...readFileSync(point, 'utf8').split(' ').slice(1)].join(' '));
};

/** Meta pages of the restore point; `undefined`: the environment keeps none, as it flushes every commit. */
const restorePointOf = (path: string): Buffer | undefined => {
  if (!existsSync(join(path, 'restore-point'))) return undefined;
  const [, , metaPages = ''] = readFileSync(join(path, 'restore-point'), 'utf8').split(' ');
  return Buffer.from(metaPages, 'base64');
};

/** Number of the newest transaction in the data file, flushed or not. */
export const newestTransactionIn = (path: string): number | undefined => {
  const file = new DataFile(join(path, 'data.mdb'));
  try {
    return newestTransactionOf(file.readMetaPages());
  } finally {
    file.close();
  }
};

/** Number of the newest transaction that a loss of power cannot touch. */
export const flushedTransactionIn = (path: string): number | undefined => {
  const metaPages = restorePointOf(path);
  return metaPages && newestTransactionOf(metaPages);
};

/** Pages from this one on that were written together after a transaction; 0: it is older. The meta pages always count as written. */
const pagesWrittenAfter = (bytes: Buffer, page: number, transaction: number): number => {
  if (page < 2) return 1;
  const start = page * PAGE_SIZE;
  if (readNumber(bytes, start) !== page || readNumber(bytes, start + 8) <= transaction) return 0;
  return bytes.readUInt16LE(start + 18) & OVERFLOW ? bytes.readUInt32LE(start + 20) : 1;
};

/**
 * What a loss of power may do to an environment that a killed process has left: each page that was written after the last flush may be there, lost,
 * or hold something older, and the file may end before them. Then the machine is started again.
 * @returns number of pages that were lost; `undefined`: the environment flushes every commit
 */
export const losePower = (path: string, random: () => number): number | undefined => {
  const metaPages = restorePointOf(path);
  const lost = metaPages && loseAfter(metaPages, join(path, 'data.mdb'), random);
  reboot(path);
  return lost;
};

const loseAfter = (metaPages: Buffer, file: string, random: () => number): number => {
  const bytes = readFileSync(file);
  const flushed = newestTransactionOf(metaPages) ?? Number.NaN;
  let lost = 0;
  for (let page = 0; page * PAGE_SIZE < bytes.length; page += 1) {
    const count = pagesWrittenAfter(bytes, page, flushed);
    if (count === 0 || random() < 0.3) continue;
    const start = page * PAGE_SIZE;
    const older = Math.floor((random() * bytes.length) / PAGE_SIZE) * PAGE_SIZE;
    if (random() < 0.5) bytes.fill(0, start, start + count * PAGE_SIZE);
    else bytes.copyWithin(start, older, older + count * PAGE_SIZE);
    lost += count;
  }
  writeFileSync(file, bytes);
  const lastPage = Math.max(...[0, metaPages.length / 2].map((start) => readNumber(metaPages, start + LAST_PAGE_AT)));
  const end = (lastPage + 1) * PAGE_SIZE;
  if (end < bytes.length && random() < 0.5) truncateSync(file, end);
  return lost;
};
