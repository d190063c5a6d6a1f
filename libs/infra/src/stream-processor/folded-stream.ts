import type { Decider } from '#domain/shared/decider.js';
import type { EventStore, ReadStreamOptions } from '#domain/shared/event-store.js';
import type { DomainEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { nextTurn } from '#infra/coordination/next-turn.js';
import type { EventCodec } from '#infra/event-codec/event-codec.js';
import { jsonCopy } from '#infra/event-codec/json.js';
import { countValues } from './count-values.js';
import type { ExecutedEvent } from './execution.js';
import { type KeyUse, REMEMBERED_MS, UsedKeys } from './used-keys.js';

/** The head of a stream as a refused append reported it; `null` if the store did not report one. */
export type ObservedHead = Revision | 'no-stream' | null;

/** One page of history: at most this many events, or bytes of data. */
const PAGE = { limit: 500, maxBytes: 4_194_304 } as const;

/** A state is counted again after this many events, or after as many as it had values if that is more: so counting costs little per event. */
const EVENTS_BETWEEN_COUNTS = 1_000;

/**
 * The state of one stream as its decider folds it, with the revision and position it was folded up to.
 *
 * `evolve` may change the state in place, so an event that was applied speculatively cannot be undone: if it does not reach the log, the state
 * is thrown away and folded again from the log. The same happens when, after an interruption, the log does not have the last folded event: then it
 * is another copy of the log.
 */
export class FoldedStream {
  private foldedState: unknown;
  private lastRevision: Revision | null = null;
  private lastPosition: Position = 0n;
  /** Id of the event at `lastRevision`; `null` if that event was never read. */
  private lastId: string | null = null;
  /** Number of interruptions when the log was last known to be the one that was folded. */
  private confirmedAt = 0;
  /** Events folded since the values of the state were counted, and that count. */
  private uncounted = 0;
  private counted = 0;
  private keys = new UsedKeys();
  private loaded = false;
  private keysLoaded = false;
  /** The state holds events that are not (yet) in the log. */
  private speculative = false;

  constructor(
    readonly stream: string,
    readonly decider: Decider<unknown, unknown, DomainEvent>,
    private readonly store: EventStore,
    private readonly codec: EventCodec,
    /** How often the log may have been replaced so far. */
    private readonly interruptions: () => number,
  ) {
    this.reset();
  }

  get state(): unknown {
    return this.foldedState;
  }

  /** Revision of the last known event; `null` when the stream has none. */
  get revision(): Revision | null {
    return this.lastRevision;
  }

  /** Position of the last known event, or a later one. */
  get position(): Position {
    return this.lastPosition;
  }

  /**
   * What it costs to keep in memory: the number of idempotency keys, plus about the number of values in the state unless that depends on a few
   * events only.
   */
  get weight(): number {
    return 1 + this.keys.size + (this.decider.window === undefined ? this.stateSize() : 0);
  }

  private stateSize(): number {
    if (this.uncounted >= Math.max(EVENTS_BETWEEN_COUNTS, this.counted)) {
      this.counted = countValues(this.foldedState);
      this.uncounted = 0;
    }
    return this.counted + this.uncounted;
  }

  /** Forgets everything; the next `load` starts from the beginning. */
  reset(): void {
    this.foldedState = this.decider.initialState();
    this.lastRevision = null;
    this.lastPosition = 0n;
    this.lastId = null;
    this.confirmedAt = this.interruptions();
    this.uncounted = 0;
    this.counted = 0;
    this.keys = new UsedKeys();
    this.loaded = false;
    this.keysLoaded = this.decider.window === undefined;
    this.speculative = false;
  }

  /** Forgets the state if it holds events that were applied speculatively. */
  discardSpeculation(): void {
    if (this.speculative) this.reset();
  }

  /** Reads the stream unless it has been read. Returns whether it was read now. */
  async load(): Promise<boolean> {
    if (this.loaded && (await this.isSameLog())) return false;
    if (this.decider.window !== undefined) await this.loadNewest(this.decider.window);
    this.loaded = true;
    await this.catchUp();
    return true;
  }

  /** Folds what other writers have appended since. Returns whether there was anything. */
  async catchUp(): Promise<boolean> {
    const before = this.lastRevision;
    for (;;) {
      if (!(await this.isSameLog())) return await this.load();
      const page = await this.read({ from: (this.lastRevision ?? -1n) + 1n });
      if (this.confirmedAt !== this.interruptions()) continue; // the page may come from another log
      if (page.length === 0) return this.lastRevision !== before;
      await this.foldPage(page);
    }
  }

  /**
   * After a refused append: folds what other writers appended. Where the events up to `actual` have been truncated or aged out already, their
   * revision is all that is left of them.
   */
  async catchUpTo(actual: ObservedHead): Promise<void> {
    this.discardSpeculation();
    if ((await this.load()) || (await this.catchUp())) return this.adoptRevision(actual);
    const known = this.lastRevision;
    this.adoptRevision(actual);
    // The store is behind what we know, so it is not the log that we folded.
    if (this.lastRevision === known) this.reset();
  }

  private adoptRevision(actual: ObservedHead): void {
    if (typeof actual !== 'bigint' || (this.lastRevision !== null && actual <= this.lastRevision)) return;
    this.lastRevision = actual;
    this.lastId = null;
  }

  /** Whether the log is still the one that was folded. If it is not, everything is forgotten. */
  private async isSameLog(): Promise<boolean> {
    while (this.confirmedAt !== this.interruptions()) {
      const asOf = this.interruptions();
      const revision = this.lastRevision;
      if (revision !== null) {
        const [last] = await this.store.readStream(this.stream, { from: revision, limit: 1 });
        if (last?.revision !== revision || last.id !== this.lastId) {
          this.reset();
          return false;
        }
      }
      this.confirmedAt = asOf;
    }
    return true;
  }

  /** Folds events of a command before they are appended, so that the next command is decided after them. */
  applySpeculatively(events: readonly DomainEvent[]): void {
    this.speculative = true;
    for (const event of events) this.evolve(event);
  }

  /** Confirms that the events are in the log, the last one at `position`. `unapplied`: those among them that are not folded yet. */
  confirm(events: readonly ExecutedEvent[], unapplied: readonly DomainEvent[], position: Position): void {
    for (const event of unapplied) this.evolve(event);
    for (const event of events) this.keys.remember(event);
    this.speculative = false;
    this.uncounted += events.length;
    const last = events.at(-1);
    this.lastRevision = last?.revision ?? this.lastRevision;
    this.lastId = last?.id ?? this.lastId;
    this.lastPosition = position;
  }

  /**
   * Loads the idempotency keys of the 48 hours before `time`. They are known already where all events are folded; otherwise the stream is read
   * backwards, once.
   */
  async loadKeys(time: string): Promise<void> {
    if (this.keysLoaded) return;
    const since = Date.parse(time) - REMEMBERED_MS;
    const keyed: Pick<RecordedEvent, 'revision' | 'metadata'>[] = [];
    let from = this.lastRevision;
    while (from !== null && from >= 0n) {
      const page = await this.read({ from, direction: 'backwards' });
      const recent = page.filter(({ metadata }) => Date.parse(metadata.time) >= since);
      for (const { revision, metadata } of recent)
        if (metadata.idempotency) keyed.push({ revision, metadata: this.codec.currentMetadata(metadata) });
      const last = page.at(-1);
      from = last && recent.length === page.length ? last.revision - 1n : null;
    }
    const keys = new UsedKeys();
    for (const event of keyed.reverse()) keys.remember(event);
    if (!(await this.isSameLog())) {
      await this.load();
      return await this.loadKeys(time);
    }
    this.keys = keys;
    this.keysLoaded = true;
  }

  usedKey(key: string, time: string): KeyUse | undefined {
    return this.keys.find(key, time);
  }

  private async loadNewest(window: number): Promise<void> {
    const newest = [...(await this.store.readStream(this.stream, { direction: 'backwards', limit: Math.max(1, window) }))].reverse();
    await this.foldPage(newest);
  }

  private async read(options: Omit<ReadStreamOptions, 'limit'>): Promise<readonly RecordedEvent[]> {
    const page = await this.store.readStream(this.stream, { ...PAGE, ...options });
    // An embedded store answers within the same turn of the event loop; a long history must not hold up everybody else.
    if (page.length === PAGE.limit) await nextTurn();
    return page;
  }

  private async foldPage(page: readonly RecordedEvent[]): Promise<void> {
    for (const event of await this.codec.decodeAll(page)) {
      this.foldedState = this.decider.evolve(this.foldedState, event);
      this.keys.remember(event);
      this.uncounted += 1;
      this.lastRevision = event.revision;
      this.lastId = event.id;
      this.lastPosition = event.position;
    }
  }

  /** Copies the data: the state may keep and change what it is given, while the event goes to the log and to the caller. */
  private evolve({ type, data }: DomainEvent): void {
    this.foldedState = this.decider.evolve(this.foldedState, { type, data: jsonCopy(data) });
  }
}
