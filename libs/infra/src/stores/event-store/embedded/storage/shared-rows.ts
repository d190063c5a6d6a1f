import type { Database } from 'lmdb';
import { checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';

/** A table whose rows are changed by several jobs of one transaction. */
type Table<Value> = Readonly<{ get: (key: string) => Value | undefined; put: (key: string, value: Value) => void }>;

/** Rows of JSON objects with checksums. @param damaged creates the error for a damaged row, which `get` throws */
export const checkedTable = <Value extends object>(table: Database<string, string>, damaged: (key: string) => Error): Table<Value> => ({
  get: (key) => {
    const stored = table.get(key);
    if (stored === undefined) return undefined;
    const text = checkedText(key, stored);
    if (text === undefined) throw damaged(key);
    return JSON.parse(text);
  },
  put: (key, value) => void table.putSync(key, withChecksum(key, JSON.stringify(value))),
});

/** Writes each changed row once per transaction, however many jobs change it. */
export class SharedRows<Value> {
  /** Empty outside a transaction. */
  private changed = new Map<string, Value>();

  constructor(private readonly table: Table<Value>) {}

  get(key: string): Value | undefined {
    return this.changed.get(key) ?? this.table.get(key);
  }

  /** Only inside a transaction that ends with `flush`. */
  put(key: string, value: Value): void {
    this.changed.set(key, value);
  }

  flush(): void {
    const rows = this.changed;
    this.changed = new Map();
    for (const [key, value] of rows) this.table.put(key, value);
  }
}
