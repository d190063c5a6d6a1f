import type { Decider } from '#domain/shared/decider.js';
import type { EventStore, ReadStreamOptions } from '#domain/shared/event-store.js';
import type { DomainEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { nextTurn } from '#infra/coordination/next-turn.js';
import type { EventCodec } from '#infra/event-codec/event-codec.js';
import { jsonCopy } from '#infra/event-codec/json.js';
import { countValues } from './count-values.js';
import type { ExecutedEvent } from './execution.js';
import { type KeyUse, REMEMBERED_MS, UsedKeys } from './used-keys.js';

/** One page of history: so many events, or so many bytes of data. */
const PAGE = { limit: 500, maxBytes: 4_194_304 } as const;

/** States are counted anew after so many events, or after as many as there were values when that is more: the counting costs little an event. */
const EVENTS_BETWEEN_COUNTS = 1_000;

/**
 * The state of one stream as its decider folds it, and where the stream stood then.
 *
 * `evolve` may change the state in place, so there is no way back from an event that was tried out: if it does not reach the log, the state
 * is thrown away and folded anew from the log. The same happens when, after an interruption, the log does not have the last event folded: it is
 * another copy then.
 */
export class FoldedStream {
  private foldedState: unknown;
  private lastRevision: Revision | null = null;
  private lastPosition: Position = 0n;
  /** Of the event at `lastRevision`, if it was ever seen. */
  private lastId: string | null = null;
  /** How many interruptions there had been when the log was last known to be the one folded. */
  private sureAsOf = 0;
  /** Events folded since the state was counted, and what it held then. */
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
    /** How often the log may have become another one so far. */
    private readonly interruptions: () => number,
  ) {
    this.reset();
  }

  get state(): unknown {
    return this.foldedState;
  }

  /** Of the last event known; `null` when the stream has none. */
  get revision(): Revision | null {
    return this.lastRevision;
  }

  /** Of the last event known, or after it. */
  get position(): Position {
    return this.lastPosition;
  }

  /** What it costs to keep: about the number of values in its state, where that depends on more than a few events, and of keys remembered. */
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

  /** Forgets everything; the next `load` begins anew. */
  reset(): void {
    this.foldedState = this.decider.initialState();
    this.lastRevision = null;
    this.lastPosition = 0n;
    this.lastId = null;
    this.sureAsOf = this.interruptions();
    this.uncounted = 0;
    this.counted = 0;
    this.keys = new UsedKeys();
    this.loaded = false;
    this.keysLoaded = this.decider.window === undefined;
    this.speculative = false;
  }

  /** Forgets the state if it holds events that were only tried out. */
  discardSpeculation(): void {
    if (this.speculative) this.reset();
  }

  /** Reads the stream if that has not happened yet. True when it did so now. */
  async load(): Promise<boolean> {
    if (this.loaded && (await this.isSure())) return false;
    if (this.decider.window !== undefined) await this.loadNewest(this.decider.window);
    this.loaded = true;
    await this.catchUp();
    return true;
  }

  /** Folds what others have appended since. True when there was something. */
  async catchUp(): Promise<boolean> {
    const before = this.lastRevision;
    for (;;) {
      if (!(await this.isSure())) return await this.load();
      const page = await this.read({ from: (this.lastRevision ?? -1n) + 1n });
      if (this.sureAsOf !== this.interruptions()) continue; // it may be of another log
      if (page.length === 0) return this.lastRevision !== before;
      await this.foldPage(page);
    }
  }

  /**
   * After a refused append: folds what others wrote. `actual` is the head revision that the store found, if it told.
   * Where the events up to it have been truncated or aged out already, their number is all that remains of them.
   */
  async yieldTo(actual: Revision | 'no-stream' | null): Promise<void> {
    this.discardSpeculation();
    if ((await this.load()) || (await this.catchUp())) return this.adopt(actual);
    const known = this.lastRevision;
    this.adopt(actual);
    // The store is behind what we know: not the log we folded.
    if (this.lastRevision === known) this.reset();
  }

  private adopt(actual: Revision | 'no-stream' | null): void {
    if (typeof actual !== 'bigint' || (this.lastRevision !== null && actual <= this.lastRevision)) return;
    this.lastRevision = actual;
    this.lastId = null;
  }

  /** Whether the log is still the one that was folded. If not, everything is forgotten. */
  private async isSure(): Promise<boolean> {
    while (this.sureAsOf !== this.interruptions()) {
      const asOf = this.interruptions();
      const revision = this.lastRevision;
      if (revision !== null) {
        const [last] = await this.store.readStream(this.stream, { from: revision, limit: 1 });
        if (last?.revision !== revision || last.id !== this.lastId) {
          this.reset();
          return false;
        }
      }
      this.sureAsOf = asOf;
    }
    return true;
  }

  /** Folds events of a command whose append is yet to come, so that the next one is decided after them. */
  tryOut(events: readonly DomainEvent[]): void {
    this.speculative = true;
    for (const event of events) this.evolve(event);
  }

  /** The events are in the log now, the last of them at `position`; `untried` are those among them not yet folded. */
  confirm(events: readonly ExecutedEvent[], untried: readonly DomainEvent[], position: Position): void {
    for (const event of untried) this.evolve(event);
    for (const event of events) this.keys.remember(event);
    this.speculative = false;
    this.uncounted += events.length;
    const last = events.at(-1);
    this.lastRevision = last?.revision ?? this.lastRevision;
    this.lastId = last?.id ?? this.lastId;
    this.lastPosition = position;
  }

  /** Makes the idempotency keys of the last 48 hours before `time` known. Where all events are folded they are; else they are read backwards once. */
  async loadKeys(time: string): Promise<void> {
    if (this.keysLoaded) return;
    const since = Date.parse(time) - REMEMBERED_MS;
    const keyed: Pick<RecordedEvent, 'revision' | 'metadata'>[] = [];
    let from = this.lastRevision;
    while (from !== null && from >= 0n) {
      const page = await this.read({ from, direction: 'backwards' });
      const recent = page.filter(({ metadata }) => Date.parse(metadata.time) >= since);
      for (const { revision, metadata } of recent) if (metadata.idempotency) keyed.push({ revision, metadata });
      const last = page.at(-1);
      from = last && recent.length === page.length ? last.revision - 1n : null;
    }
    const keys = new UsedKeys();
    for (const event of keyed.reverse()) keys.remember(event);
    if (!(await this.isSure())) {
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
    // An embedded store answers without leaving the turn of the event loop; a long history must not hold up everybody else.
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

  /** With a copy: the state may keep and change what it is given, while the event goes to the log and to the caller. */
  private evolve({ type, data }: DomainEvent): void {
    this.foldedState = this.decider.evolve(this.foldedState, { type, data: jsonCopy(data) });
  }
}
