import type { Database } from 'lmdb';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';

/** The records of builds do not read as they were written: nobody knows what is served, or up to which position. */
export class DamagedBuildRecords extends Error {
  override readonly name = 'DamagedBuildRecords';
}

/** Records of builds: texts by key, with checksums. */
export class BuildRecords {
  /** Rows as they were when they were read last: one that is still the same need not be checked again. There are four rows for each projection. */
  private readonly checked = new Map<string, Readonly<{ stored: string; text: string }>>();

  constructor(private readonly table: Database<string, string>) {}

  /** @throws DamagedBuildRecords */
  get(key: string): string | undefined {
    const stored = this.stored(key);
    if (stored === undefined) return undefined;
    const known = this.checked.get(key);
    if (known?.stored === stored) return known.text;
    const text = checkedText(key, stored);
    if (text === undefined) throw new DamagedBuildRecords(`the row ${key}`);
    this.checked.set(key, { stored, text });
    return text;
  }

  /** The text as it is stored, with its checksum, which is not looked at: for telling whether it has changed. */
  stored(key: string): string | undefined {
    return this.table.get(key);
  }

  /** Only inside a transaction, like `removeSync`. */
  putSync(key: string, text: string): void {
    this.table.putSync(key, withChecksum(key, text));
  }

  removeSync(key: string): void {
    this.table.removeSync(key);
  }
}
