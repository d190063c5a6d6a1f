import type { EventMetadata, RecordedEvent, Revision } from '#domain/shared/events.js';
import type { StoredKeys } from './snapshots/key-documents.js';
import { fingerprintOf, placeOf } from './snapshots/key-segments.js';
import { type KeyedEvent, type KeyUse, REMEMBERED_MS, UsedKeys } from './used-keys.js';

/** Sources of the idempotency keys of a stream. */
export type KeySource = Readonly<{
  /** A page of the stream backwards from a revision, inclusive, down to another one. */
  pageBefore(from: Revision, downTo: Revision): Promise<readonly RecordedEvent[]>;
  currentMetadata(metadata: EventMetadata): EventMetadata;
  /** The keys that are kept of the stream, if they come from this log. Never fails. */
  stored(): Promise<StoredKeys | undefined>;
  /** Known use of a key of a segment. Rejects if the store cannot tell. */
  use(segment: number, key: string): Promise<KeyUse | undefined>;
}>;

/** Keys of a stream that ends before this revision are looked for in its events alone: one page. */
const FEW_EVENTS = 500n;

/** All uses after those that are kept. */
export type UnsavedKeys = Readonly<{ stored: StoredKeys | undefined; uses: readonly (readonly [string, KeyUse])[] }>;

/**
 * The idempotency keys of one stream in the last 48 hours: the newest in memory as events are folded; older ones are looked for when a command with a
 * key comes, in what is kept beside the log as far as that reaches, and otherwise in the events.
 */
export class StreamKeys {
  /** Those of all events from `from` on, and some that were looked up. */
  private recent = new UsedKeys();
  private from: Revision | null = null;
  private stored: StoredKeys | undefined;
  private complete = false;
  /** Kept keys, adopted before the next use: commands that are being decided must not miss a key. */
  private newlyStored: StoredKeys | undefined;
  private loading: Promise<void> | undefined;

  constructor(private readonly source: KeySource) {}

  /** Whether all uses of the 48 hours are known, in memory or where they are kept. */
  get isComplete(): boolean {
    return this.complete;
  }

  /** In memory, in values of a state. */
  get weight(): number {
    const stored = this.stored?.segments.reduce((sum, { count }) => sum + count, 0) ?? 0;
    return this.recent.size + Math.ceil(stored / 16);
  }

  /** In the order of revisions, each event once. */
  remember(event: KeyedEvent): void {
    this.takeOver();
    this.from ??= event.revision;
    this.recent.remember(event);
  }

  find(key: string, time: string): KeyUse | undefined {
    return this.recent.find(key, time);
  }

  /**
   * Sees to it that {@link find} knows every use of these keys in the 48 hours before `time`.
   * @param head revision of the newest event that is known
   */
  async load(keys: readonly string[], time: string, head: Revision | null): Promise<void> {
    this.takeOver();
    const since = Date.parse(time) - REMEMBERED_MS;
    await this.loadAll(since, head);
    for (const key of keys) if (!(await this.lookUp(key))) return await this.loadFromEvents(since, head);
  }

  /** Loads older keys where that has not been done, so that {@link unsaved} is complete. */
  async prepare(now: number, head: Revision | null): Promise<void> {
    await this.loadAll(now - REMEMBERED_MS, head);
  }

  /** Keys to store beside the log. */
  unsaved(): UnsavedKeys {
    const stored = this.newlyStored ?? this.stored;
    const after = stored?.place.revision ?? -1n;
    return { stored, uses: [...this.recent.entries()].filter(([, { first, count }]) => first + BigInt(count) - 1n > after) };
  }

  /** The uses up to its place are kept: they may leave the memory. */
  saved(stored: StoredKeys): void {
    this.newlyStored = stored;
  }

  private takeOver(): void {
    if (!this.newlyStored) return;
    this.stored = this.newlyStored;
    this.newlyStored = undefined;
    const { revision } = this.stored.place;
    this.recent.dropUpTo(revision);
    if (this.from === null || this.from <= revision) this.from = revision + 1n;
  }

  /** Looks through all events of the time again, because what is kept does not know a key that it has. */
  private async loadFromEvents(since: number, head: Revision | null): Promise<void> {
    this.stored = undefined;
    this.newlyStored = undefined;
    this.complete = false;
    await this.loadAll(since, head, false);
  }

  /** Whether it is known now: in memory, or found in a segment, or in none. */
  private async lookUp(key: string): Promise<boolean> {
    if (this.recent.has(key)) return true;
    const segments = this.stored?.segments ?? [];
    if (segments.length === 0) return true;
    const fingerprint = fingerprintOf(key);
    for (const { number, keys } of segments.toReversed()) {
      if (placeOf(keys, fingerprint) < 0) continue;
      const use = await this.source.use(number, key).catch(() => undefined);
      if (!use) return false;
      if (!this.recent.has(key)) this.recent.learn(key, use);
      return true;
    }
    return true;
  }

  private async loadAll(since: number, head: Revision | null, fromStored = true): Promise<void> {
    if (this.complete) return;
    this.loading ??= this.loadOlder(since, head, fromStored).finally(() => {
      this.loading = undefined;
    });
    await this.loading;
  }

  /** A short stream is read without a look at what is kept; of a long one only what came after it is read. */
  private async loadOlder(since: number, head: Revision | null, fromStored: boolean): Promise<void> {
    let next = this.from === null ? (head ?? -1n) : this.from - 1n;
    // Of too many in memory the oldest were forgotten.
    const stored = fromStored && (next >= FEW_EVENTS || this.recent.isFull) ? await this.source.stored() : undefined;
    const downTo = (stored?.place.revision ?? -1n) + 1n;
    const older: KeyedEvent[] = [];
    while (next >= downTo) {
      const page = await this.pageBefore(next, downTo, since);
      for (const event of page.keyed) older.push(event);
      next = page.next;
    }
    this.adopt(stored, older.reverse());
  }

  /** @param older events before those in memory, in order */
  private adopt(stored: StoredKeys | undefined, older: readonly KeyedEvent[]): void {
    const earlier = new UsedKeys();
    const after = stored?.place.revision ?? -1n;
    for (const event of older) if (event.revision > after) earlier.remember(event);
    this.recent = this.recent.after(earlier);
    this.stored = stored;
    this.complete = true;
  }

  /** The events with keys of a page of events since a time, newest first. `next`: -1 where older ones end. */
  private async pageBefore(
    from: Revision,
    downTo: Revision,
    since: number,
  ): Promise<Readonly<{ keyed: readonly KeyedEvent[]; next: Revision }>> {
    const page = await this.source.pageBefore(from, downTo);
    const recent = page.filter(({ metadata }) => Date.parse(metadata.time) >= since);
    const keyed = recent.filter(({ metadata }) => metadata.idempotency !== undefined);
    const last = page.at(-1);
    return {
      keyed: keyed.map(({ revision, metadata }) => ({ revision, metadata: this.source.currentMetadata(metadata) })),
      next: last && recent.length === page.length ? last.revision - 1n : -1n,
    };
  }
}
