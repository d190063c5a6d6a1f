/** A cache in memory of limited size. The most recently used values are kept. */
export interface Memory {
  get(key: string): object | undefined;
  /** `bytes`: approximate memory of the value. */
  set(key: string, value: object, bytes: number): void;
}

/** A new value and its approximate memory. */
export type SizedValue<Value> = Readonly<{ value: Value; bytes: number }>;

/**
 * Creates each value once, even for concurrent callers, and caches it while there is room. A key identifies all inputs of its value, so a cached
 * value is never outdated.
 */
export class Memo {
  private readonly making = new Map<string, Promise<object>>();
  /** Values without room in the cache, while they are in use. */
  private readonly inUse = new Map<string, WeakRef<object>>();

  constructor(private readonly memory: Memory) {}

  get<Value extends object>(key: string): Value | undefined {
    return (this.memory.get(key) ?? this.inUse.get(key)?.deref()) as Value | undefined;
  }

  /** Stores a value that was not created by `fill`. It may differ from the one it replaces. */
  set(key: string, value: object, bytes: number): void {
    this.memory.set(key, value, bytes);
  }

  /** The cached value, or a new one. @throws whatever `make` throws; nothing is cached then */
  async fill<Value extends object>(key: string, make: () => Promise<SizedValue<Value>>): Promise<Value> {
    const known = this.get(key) ?? this.making.get(key);
    if (known) return (await known) as Value;
    const made = make().then(({ value, bytes }) => {
      this.memory.set(key, value, bytes);
      if (!this.memory.get(key)) this.use(key, value);
      return value;
    });
    this.making.set(key, made);
    try {
      return await made;
    } finally {
      this.making.delete(key);
    }
  }

  private use(key: string, value: object): void {
    for (const [other, reference] of this.inUse) if (!reference.deref()) this.inUse.delete(other);
    this.inUse.set(key, new WeakRef(value));
  }
}
