import { atomically } from '#infra/platform/coordination/own-namespace.js';
import type { ReadStore, StoreUsage } from '#projections/shared/read-store.js';

/** `daysLeft`: until the memory is full, at the pace of the last week; `null` while that is not known, and if it does not grow. */
export type StoreMemory = StoreUsage & Readonly<{ daysLeft: number | null }>;

/** Bytes in use at a time: milliseconds since 1970-01-01 UTC. */
type MemorySample = readonly [at: number, bytes: number];

const NAME = 'ops.memory';
const [COLLECTION, KEY] = ['samples', 'memory'];
const DAY_MS = 86_400_000;
const SAMPLE_MS = DAY_MS / 4;
const WEEK_MS = 7 * DAY_MS;
/** Time after which a refused write is over. */
const REFUSED_MS = 60_000;

/** @param samples of the last week, oldest first. Of less than a day they say nothing. */
export const daysLeft = (
  samples: readonly MemorySample[],
  now: number,
  { bytes, limit }: Pick<StoreUsage, 'bytes' | 'limit'>,
): number | null => {
  const first = samples.find(([at]) => at >= now - WEEK_MS - SAMPLE_MS);
  if (limit === null || !first || now - first[0] < DAY_MS || bytes <= first[1]) return null;
  return Math.max(0, ((limit - bytes) * (now - first[0])) / (bytes - first[1]) / DAY_MS);
};

/** The stored samples, without those of a clock that was ahead. */
const samplesIn = (text: Buffer | null, now: number): readonly MemorySample[] =>
  text === null ? [] : (JSON.parse(text.toString('utf8')) as readonly MemorySample[]).filter(([at]) => at <= now);

/** Watches the memory of the server of a read store. Samples of a week are kept in the store itself, for all nodes. */
export class MemoryWatch {
  private latest: Promise<StoreMemory | null> | undefined;
  private until = Number.NEGATIVE_INFINITY;
  private refused = Number.POSITIVE_INFINITY;
  private refusedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now milliseconds since 1970-01-01 UTC
   * @param keeps `false`: it only reads samples. Default: `true`
   * @param sharedMs time for which a look is shared. Default: 5 s
   */
  constructor(
    private readonly store: ReadStore,
    private readonly now: () => number,
    private readonly keeps = true,
    private readonly sharedMs = 5_000,
  ) {}

  /** `null` if there is no server, or it does not show its memory. @throws ReadStoreUnavailable */
  look(): Promise<StoreMemory | null> {
    if (this.latest && performance.now() < this.until) return this.latest;
    this.until = performance.now() + this.sharedMs;
    this.latest = this.find();
    this.latest.catch(() => {
      this.until = Number.NEGATIVE_INFINITY;
    });
    return this.latest;
  }

  private async find(): Promise<StoreMemory | null> {
    const shown = (await this.store.usage?.()) ?? null;
    if (shown === null) return null;
    const usage = { ...shown, refusal: shown.refusal ?? this.recentRefusal(shown) };
    const text = await this.store.view(NAME).get(COLLECTION, KEY);
    const now = this.now();
    const samples = samplesIn(text, now);
    const isDue = now - (samples.at(-1)?.[0] ?? 0) >= SAMPLE_MS;
    if (isDue && this.keeps && usage.refusal === null) await this.keep(now, usage.bytes).catch(() => undefined); // the next look tries again
    return { ...usage, daysLeft: daysLeft(samples, now, usage) };
  }

  /** Shortly below the limit only large writes are refused. */
  private recentRefusal({ refused }: StoreUsage): string | null {
    if (refused > this.refused) this.refusedAt = performance.now();
    this.refused = refused;
    return performance.now() - this.refusedAt < REFUSED_MS ? 'its memory is full' : null;
  }

  private async keep(now: number, bytes: number): Promise<void> {
    await atomically(this.store, NAME, async (namespace, changes) => {
      const text = await this.store.documents(namespace).get(COLLECTION, KEY);
      const before = samplesIn(text, now);
      if (now - (before.at(-1)?.[0] ?? 0) < SAMPLE_MS) return;
      const samples = [...before.filter(([at]) => at >= now - WEEK_MS - SAMPLE_MS), [now, bytes]];
      const put = { kind: 'put', collection: COLLECTION, key: KEY, value: JSON.stringify(samples) } as const;
      await this.store.commit(namespace, [put], changes, changes + 1n);
    });
  }
}
