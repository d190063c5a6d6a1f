import { readFileSync } from 'node:fs';

/** A change that a process made under a directory, as failing-disk.c records it. Paths begin with `/` behind that directory. */
export type Change = Readonly<{ sequence: number; milliseconds: number; inode: string }> &
  (
    | Readonly<{ kind: 'write'; isDurable: boolean; at: number; bytes: Buffer }>
    | Readonly<{ kind: 'cut'; size: number }>
    /** `seen`: sequence of the newest change that it covers. */
    | Readonly<{ kind: 'flush'; seen: number }>
    | Readonly<{ kind: 'flush directory'; path: string; seen: number }>
    | Readonly<{ kind: 'open'; path: string; isNew: boolean; isEmptied: boolean }>
    | Readonly<{ kind: 'rename' | 'link'; path: string; to: string }>
    | Readonly<{ kind: 'remove' | 'make directory' | 'remove directory'; path: string }>
    | Readonly<{ kind: 'symlink'; path: string; text: string }>
  );

const HEAD_BYTES = 48;
const KINDS = [
  'write',
  'cut',
  'flush',
  'flush directory',
  'open',
  'rename',
  'remove',
  'symlink',
  'make directory',
  'remove directory',
  'link',
];
const NEW = 1;
const EMPTIED = 2;

/** All changes in the order in which they were made. `milliseconds` are of the clock of `process.hrtime`. */
export const readJournal = (file: string): readonly Change[] => {
  const bytes = readFileSync(file);
  const changes: Change[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const [kind = '', flag] = [KINDS[bytes.readUInt32LE(at) - 1], bytes.readUInt32LE(at + 4)];
    const pathAt = at + HEAD_BYTES;
    const otherAt = pathAt + bytes.readUInt32LE(at + 8);
    const dataAt = otherAt + bytes.readUInt32LE(at + 12);
    const end = dataAt + Number(bytes.readBigUInt64LE(at + 40));
    if (end > bytes.length) break; // the process was killed in the middle of it
    const [path, other] = [bytes.toString('utf8', pathAt, otherAt), bytes.toString('utf8', otherAt, dataAt)];
    const place = Number(bytes.readBigUInt64LE(at + 32));
    const common = {
      sequence: changes.length + 1,
      milliseconds: Number(bytes.readBigUInt64LE(at + 16)) / 1e6,
      inode: String(bytes.readBigUInt64LE(at + 24)),
      kind,
      path,
    };
    const more: Readonly<Record<string, object>> = {
      write: { isDurable: flag === 1, at: place, bytes: bytes.subarray(dataAt, end) },
      cut: { size: place },
      flush: { seen: place },
      'flush directory': { seen: place },
      open: { isNew: (flag & NEW) !== 0, isEmptied: (flag & EMPTIED) !== 0 },
      rename: { to: other },
      link: { to: other },
      symlink: { text: other },
    };
    changes.push({ ...common, ...more[kind] } as Change);
    at = end;
  }
  return changes;
};
