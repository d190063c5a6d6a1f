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
    return stored === undefined ? undefined : this.parse(key, stored);
  }

  /** Must run inside a transaction. */
  put(key: string, value: Value): void {
    this.table.putSync(key, withChecksum(key, JSON.stringify(value)));
  }

  private parse(key: string, stored: string): Value {
    const text = textOfRow(key, stored);
    if (text === undefined) throw this.damaged(key);
    try {
      return JSON.parse(text);
    } catch {
      throw this.damaged(key);
    }
  }
}

/** JSON of a stored row; `undefined` if it is damaged. Rows of earlier versions of Logbook have no checksum. */
export const textOfRow = (key: string, stored: string): string | undefined =>
  checkedText(key, stored) ?? (stored.endsWith('}') ? stored : undefined);
