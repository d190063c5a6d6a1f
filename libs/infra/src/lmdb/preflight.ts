import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** `absent`: missing or empty, which LMDB would take for a new database. `short`: ends before the last page it speaks of. */
export type DataFileCheck = Readonly<{ kind: 'absent' | 'sound' }> | Readonly<{ kind: 'damaged' | 'short'; what: string }>;

const MAGIC = 0xbeefc0de;
const DATA_FORMAT = 2;
const MAGIC_AT = 24;
const FORMAT_AT = 28;
const PAGE_SIZE_AT = 48;
/** From the magic of a meta page to the number of the last page in use. */
const LAST_PAGE_AFTER_MAGIC = 120;

/** Reads the two meta pages of `data.mdb`: on most kinds of damage LMDB would end the process with a signal. */
export const checkDataFile = (file: string): DataFileCheck => {
  if (!existsSync(file)) return { kind: 'absent' };
  const descriptor = openSync(file, 'r');
  try {
    return checkPages(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
};

const checkPages = (descriptor: number, size: number): DataFileCheck => {
  if (size === 0) return { kind: 'absent' };
  const first = readAt(descriptor, 0);
  if (first.readUInt32LE(MAGIC_AT) !== MAGIC) return { kind: 'damaged', what: 'data.mdb is not an LMDB file or its first page is lost' };
  const format = first.readUInt16LE(FORMAT_AT);
  if (format !== DATA_FORMAT) return { kind: 'damaged', what: `data.mdb has data format ${format}, this program reads ${DATA_FORMAT}` };
  const pageSize = first.readUInt32LE(PAGE_SIZE_AT);
  const second = readAt(descriptor, pageSize);
  if (second.readUInt32LE(MAGIC_AT) !== MAGIC) return { kind: 'damaged', what: 'the second page of data.mdb is lost' };
  const pages = Math.max(lastPage(first), lastPage(second)) + 1;
  if (pages * pageSize <= size) return { kind: 'sound' };
  return { kind: 'short', what: `data.mdb has ${size} bytes and speaks of ${pages * pageSize}` };
};

/** The start of a page; zeroes where the file has ended. */
const readAt = (descriptor: number, position: number): Buffer => {
  const bytes = Buffer.alloc(MAGIC_AT + LAST_PAGE_AFTER_MAGIC + 8);
  readSync(descriptor, bytes, 0, bytes.length, position);
  return bytes;
};

const lastPage = (meta: Buffer): number => Number(meta.readBigUInt64LE(MAGIC_AT + LAST_PAGE_AFTER_MAGIC));
