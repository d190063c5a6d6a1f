/** A cache in memory of limited size. The most recently used values are kept. */
export interface Memory {
  get(key: string): object | undefined;
  /** `bytes`: approximate memory of the value. */
  set(key: string, value: object, bytes: number): void;
}

/**
 * Results of reads, kept until something is committed to a read model that they come from, for a second at most: a commit of another node may be noticed
 * late. `undefined` is not kept.
 */
export interface ReadCache {
  get(key: string): object | undefined;
  fill<Found extends object | undefined>(key: string, read: () => Promise<Found>): Promise<Found>;
  /** Forgets everything, because a result turned out to be outdated. */
  clear(): void;
}

export const NO_READ_CACHE: ReadCache = { get: () => undefined, fill: (_key, read) => read(), clear: () => {} };

/** The result of `read`, or that of an earlier one with the same key. */
export const cachedRead = async <Found extends object | undefined>(
  cache: ReadCache,
  key: readonly string[],
  read: () => Promise<Found>,
): Promise<Found> => {
  const name = JSON.stringify(key);
  return (cache.get(name) as Found | undefined) ?? cache.fill(name, read);
};

/** A new value and its approximate memory. */
export type SizedValue<Value> = Readonly<{ value: Value; bytes: number }>;

/** Most memory of one of the values that are cached by their number. */
const CACHED_BYTES = 64 * 1024;

/** Like {@link cachedRead}, but a large value is not kept. */
export const cachedIfSmall = async <Found extends object>(
  cache: ReadCache,
  key: readonly string[],
  read: () => Promise<SizedValue<Found> | undefined>,
): Promise<Found | undefined> => {
  let large: Found | undefined;
  const small = await cachedRead(cache, key, async () => {
    const found = await read();
    if (found && found.bytes <= CACHED_BYTES) return found.value;
    large = found?.value;
    return undefined;
  });
  return small ?? large;
};

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
