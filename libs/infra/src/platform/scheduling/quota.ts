/** Limits of an owner in an hour; `undefined`: none. */
export type QuotaLimits = Readonly<{ messages?: number; bytes?: number }>;
type QuotaOptions = Readonly<{
  /** Name of the messages, in the plural. */
  word: string;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  /** Called for each refused call. */
  onRefused: () => void;
}>;
type Amount = Readonly<{ messages: number; bytes: number }>;

const KINDS = ['messages', 'bytes'] as const;
const HOUR_MS = 3_600_000;
const NOTHING: Amount = { messages: 0, bytes: 0 };

/** A call would exceed a quota: it changes nothing. */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  constructor(
    readonly kind: string,
    readonly limit: number,
    readonly left: number,
    /** Seconds until the next hour begins. */
    readonly retryAfter: number,
  ) {
    super(`Quota exceeded: ${left} of ${limit} ${kind} an hour are left, until the next one begins in ${retryAfter} seconds`);
  }
}

/** Counts messages and bytes of owners in each hour of UTC, in this process and from its start. */
export class Quota {
  private readonly taken = new Map<string, Amount>();
  private hour = 0;

  constructor(
    private readonly limits: QuotaLimits,
    private readonly options: QuotaOptions,
  ) {}

  /** Does work that counts if it succeeds. While it is under way, its amount is taken. @throws QuotaExceeded before it begins; what the work throws */
  async within<Result>(owner: string, amount: Amount, work: () => Promise<Result>): Promise<Result> {
    if (KINDS.every((kind) => this.limits[kind] === undefined)) return work();
    const hour = this.take(owner, amount);
    try {
      return await work();
    } catch (error) {
      if (hour === this.hour) this.add(owner, { messages: -amount.messages, bytes: -amount.bytes });
      throw error;
    }
  }

  /** @returns the hour in which it counts */
  private take(owner: string, amount: Amount): number {
    const now = this.options.now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.hour) this.taken.clear();
    this.hour = hour;
    const taken = this.taken.get(owner) ?? NOTHING;
    for (const kind of KINDS) {
      const limit = this.limits[kind] ?? Number.POSITIVE_INFINITY;
      if (taken[kind] + amount[kind] <= limit) continue;
      this.options.onRefused();
      const word = kind === 'messages' ? this.options.word : kind;
      throw new QuotaExceeded(word, limit, limit - taken[kind], Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000));
    }
    this.add(owner, amount);
    return hour;
  }

  private add(owner: string, { messages, bytes }: Amount): void {
    const taken = this.taken.get(owner) ?? NOTHING;
    this.taken.set(owner, { messages: taken.messages + messages, bytes: taken.bytes + bytes });
  }
}
