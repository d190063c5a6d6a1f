type GenerationsOptions<Value> = Readonly<{
  /** Total size of the values. */
  most: number;
  /** Larger values are not kept. */
  longest: number;
  /** Always the same for a value. */
  sizeOf: (value: Value) => number;
}>;

/**
 * A cache of recently used values in two generations: reading a value of the older generation moves it to the newer one. For caches that are
 * written with every event: a write costs a quarter of one to a list in the order of uses.
 */
export class Generations<Value extends object> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();
  /** Of the newer generation. */
  private size = 0;

  constructor(private readonly options: GenerationsOptions<Value>) {}

  get(key: string): Value | undefined {
    const found = this.young.get(key);
    if (found) return found;
    const older = this.old.get(key);
    if (older) this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    const { most, longest, sizeOf } = this.options;
    const size = sizeOf(value);
    if (size > longest) {
      this.delete(key);
      return;
    }
    const before = this.young.get(key);
    this.size += size - (before ? sizeOf(before) : 0);
    this.young.set(key, value);
    if (this.size <= most / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.size = 0;
  }

  delete(key: string): void {
    const before = this.young.get(key);
    if (before) this.size -= this.options.sizeOf(before);
    this.young.delete(key);
    this.old.delete(key);
  }

  /** Drops the values of all keys that begin so. */
  deleteUnder(prefix: string): void {
    for (const generation of [this.young, this.old]) for (const key of generation.keys()) if (key.startsWith(prefix)) this.delete(key);
  }

  clear(): void {
    this.young = new Map();
    this.old = new Map();
    this.size = 0;
  }
}
