import type { Database } from 'lmdb';
import { checkedText, withChecksum } from './checksum.js';

/** Rows of JSON objects with checksums, keyed by text. */
export class CheckedRows<Value extends object> {
  constructor(
    private readonly table: Database<string, string>,
    /** Creates the error for a damaged row. */
    private readonly damaged: (key: string) => Error,
  ) {}

  /** @throws the error of `damaged` */
  get(key: string): Value | undefined {
    const stored = this.table.get(key);
    if (stored === undefined) return undefined;
    const text = checkedText(key, stored);
    if (text === undefined) throw this.damaged(key);
    return JSON.parse(text);
  }

  /** Must run inside a transaction. */
  put(key: string, value: Value): void {
    this.table.putSync(key, withChecksum(key, JSON.stringify(value)));
  }
}
