/** A table whose rows are changed by several jobs of one transaction. */
type Table<Value> = Readonly<{ get: (key: string) => Value | undefined; put: (key: string, value: Value) => void }>;

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
