/** A table whose rows several works of one transaction change. */
type Table<Value> = Readonly<{ get: (key: string) => Value | undefined; put: (key: string, value: Value) => void }>;

/** Rows that are written once for each transaction, however many of its works change them. */
export class SharedRows<Value> {
  /** Empty outside of a transaction. */
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
