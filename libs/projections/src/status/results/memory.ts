/** Things kept in memory for as long as there is room: what was used last stays. */
export interface Memory {
  get(key: string): object | undefined;
  /** `bytes`: about what the value takes in memory. */
  set(key: string, value: object, bytes: number): void;
}

/** A value that was made, and about what it takes in memory. */
export type SizedValue<Value> = Readonly<{ value: Value; bytes: number }>;

/**
 * Makes each thing once, however many ask for it at the same time, and keeps it where there is room. A key says all that its value is made of, so that
 * nothing kept is ever out of date.
 */
export class Memo {
  private readonly making = new Map<string, Promise<object>>();
  /** What there is no room for, as long as somebody uses it. */
  private readonly inUse = new Map<string, WeakRef<object>>();

  constructor(private readonly memory: Memory) {}

  get<Value extends object>(key: string): Value | undefined {
    return (this.memory.get(key) ?? this.inUse.get(key)?.deref()) as Value | undefined;
  }

  /** For values that were not made by `fill`; one that takes the place of another may differ from it. */
  set(key: string, value: object, bytes: number): void {
    this.memory.set(key, value, bytes);
  }

  /** What is kept under the key, or made now. @throws what `make` throws; nothing is kept then */
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
