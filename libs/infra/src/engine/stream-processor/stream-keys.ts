import type { EventMetadata, RecordedEvent, Revision } from '#domain/shared/events.js';
import { shortSlice } from './short-slice.js';
import type { StoredKeys } from './snapshots/key-documents.js';
import { fingerprintOf, placeOf } from './snapshots/key-segments.js';
import { type KeyedEvent, type KeyUse, REMEMBERED_MS, UsedKeys } from './used-keys.js';

/** Sources of the idempotency keys of a stream. */
export type KeySource = Readonly<{
  /** A page of the stream backwards from a revision, inclusive, down to another one. */
  pageBefore(from: Revision, downTo: Revision): Promise<readonly RecordedEvent[]>;
  currentMetadata(metadata: EventMetadata): EventMetadata;
  /** Stored keys of the stream, if they come from this log. Never fails. */
  stored(): Promise<StoredKeys | undefined>;
  /** Known use of a key of a segment. Rejects if the store fails. */
  use(segment: number, key: string): Promise<KeyUse | undefined>;
}>;

/** In a stream that ends before this revision, keys are searched in its events only: one page. */
const FEW_EVENTS = 500n;

/** All uses after the stored ones. */
export type UnsavedKeys = Readonly<{ stored: StoredKeys | undefined; uses: readonly (readonly [string, KeyUse])[] }>;

/**
 * The idempotency keys of one stream in the last 48 hours. The newest are in memory as events are folded. Older ones are looked up when a
 * command with a key arrives: in the keys stored beside the log as far as they reach, otherwise in the events.
 */
export class StreamKeys {
  /** Keys of all events from `from` on, and some that were looked up. */
  private recent = new UsedKeys();
  private from: Revision | null = null;
  private stored: StoredKeys | undefined;
  private complete = false;
  /** Stored keys that take effect before the next use: commands being decided must not miss a key. */
  private newlyStored: StoredKeys | undefined;
  private loading: Promise<void> | undefined;

  /** @param source made when it is needed: most streams never need theirs */
  constructor(private readonly source: () => KeySource) {}

  /** Returns whether all uses of the 48 hours are known, in memory or in storage. */
  get isComplete(): boolean {
    return this.complete;
  }

  /** Size in memory, in values of a state: two for each key, as much for sixteen stored ones. */
  get weight(): number {
    const stored = this.stored?.segments.reduce((sum, { count }) => sum + count, 0) ?? 0;
    return 2 * this.recent.size + Math.ceil(stored / 8);
  }

  /** Must be called in the order of revisions, once per event. */
  remember(event: KeyedEvent): void {
    this.takeOver();
    this.from ??= event.revision;
    this.recent.remember(event);
  }

  /** Remembers the key of a command that recorded no event. @param head revision of the newest known event */
  rememberUnchanged({ key, body }: NonNullable<EventMetadata['idempotency']>, time: string, head: Revision | null): void {
    this.recent.learn(key, { body, first: (head ?? -1n) + 1n, count: 0, time: Date.parse(time) });
  }

  find(key: string, time: string): KeyUse | undefined {
    return this.recent.find(key, time);
  }

  /**
   * Ensures that {@link find} knows every use of these keys in the 48 hours before `time`.
   * @param head revision of the newest known event
   */
  async load(keys: readonly string[], time: string, head: Revision | null): Promise<void> {
    this.takeOver();
    const since = Date.parse(time) - REMEMBERED_MS;
    await this.loadAll(since, head);
    for (const key of keys) if (!(await this.lookUp(key))) return await this.loadFromEvents(since, head);
  }

  /** Loads older keys if necessary, so that {@link unsaved} is complete. */
  async prepare(now: number, head: Revision | null): Promise<void> {
    await this.loadAll(now - REMEMBERED_MS, head);
  }

  /** Keys to store beside the log. */
  unsaved(): UnsavedKeys {
    const stored = this.newlyStored ?? this.stored;
    const uses = [...this.recent.entries()];
    if (!stored) return { stored, uses };
    return { stored, uses: uses.filter(([, { first, count }]) => first + BigInt(count) > stored.place.revision + 1n) };
  }

  /** Records that the uses up to its place are stored and may leave memory. */
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

  /** Searches all events of the period again, because the stored keys turned out to be incomplete. */
  private async loadFromEvents(since: number, head: Revision | null): Promise<void> {
    this.stored = undefined;
    this.newlyStored = undefined;
    this.complete = false;
    await this.loadAll(since, head, false);
  }

  /** Returns whether it is known now: in memory, found in a segment, or in none. */
  private async lookUp(key: string): Promise<boolean> {
    if (this.recent.has(key)) return true;
    const segments = this.stored?.segments ?? [];
    if (segments.length === 0) return true;
    const fingerprint = fingerprintOf(key);
    for (const { number, keys } of segments.toReversed()) {
      if (placeOf(keys, fingerprint) < 0) continue;
      const use = await this.source()
        .use(number, key)
        .catch(() => undefined);
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

  /** Reads a short stream without the stored keys; of a long one only the events after them. */
  private async loadOlder(since: number, head: Revision | null, fromStored: boolean): Promise<void> {
    let next = this.from === null ? (head ?? -1n) : this.from - 1n;
    // If there are too many in memory, the oldest have been dropped.
    const stored = fromStored && (next >= FEW_EVENTS || this.recent.isFull) ? await this.source().stored() : undefined;
    const downTo = (stored?.place.revision ?? -1n) + 1n;
    const older: KeyedEvent[] = [];
    while (next >= downTo) {
      const page = await this.pageBefore(next, downTo, since);
      for (const event of page.keyed) older.push(event);
      next = page.next;
    }
    await this.adopt(stored, older.reverse());
  }

  /** @param older events before those in memory, in order */
  private async adopt(stored: StoredKeys | undefined, older: readonly KeyedEvent[]): Promise<void> {
    const earlier = new UsedKeys();
    const after = stored?.place.revision ?? -1n;
    const slice = shortSlice();
    for (const event of older) {
      if (event.revision > after) earlier.remember(event);
      if (slice.isOver) await slice.next();
    }
    this.recent = this.recent.after(earlier);
    this.stored = stored;
    this.complete = true;
  }

  /** The events with keys in a page of events since a time, newest first. `next`: -1 if there are no older ones. */
  private async pageBefore(
    from: Revision,
    downTo: Revision,
    since: number,
  ): Promise<Readonly<{ keyed: readonly KeyedEvent[]; next: Revision }>> {
    const source = this.source();
    const page = await source.pageBefore(from, downTo);
    const recent = page.filter(({ metadata }) => Date.parse(metadata.time) >= since);
    const keyed = recent.filter(({ metadata }) => metadata.idempotency !== undefined);
    const last = page.at(-1);
    return {
      keyed: keyed.map(({ revision, metadata }) => ({ revision, metadata: source.currentMetadata(metadata) })),
      next: last && recent.length === page.length ? last.revision - 1n : -1n,
    };
  }
}
