import type { Decider, StateSnapshots } from '#domain/shared/decider.js';
import type { DomainEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import type { CommandContext, ExecutedEvent } from '#domain/shared/execution.js';
import { readableEvents } from '#infra/stores/event-codec/readable-events.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';
import { StateSize } from './count-values.js';
import { type FoldingSources, hasEvent, keySource } from './folding-sources.js';
import { type LastEvent, NO_EVENT, type ObservedHead, snapshotPlaceOf } from './last-event.js';
import { shortSlice } from './short-slice.js';
import type { CapturedState, SavedStream } from './snapshots/save-stream.js';
import { LONG_TEXT, SnapshotBacklog } from './snapshots/snapshot-backlog.js';
import type { SnapshotPlace } from './snapshots/snapshot-documents.js';
import { linesOf } from './snapshots/state-text.js';
import { StreamKeys } from './stream-keys.js';
import { readStart } from './stream-start.js';
import type { KeyUse } from './used-keys.js';

/** Maximum size of one page of history: number of events, and bytes of data. */
const PAGE = { limit: 500, maxBytes: 4_194_304 } as const;

/** Number of events decoded at a time. */
const DECODED_EVENTS = 100;

/** A state with more values is not captured between two commands, but read again in the background. */
const FEW_VALUES = 16_000;

/** Memory of a stream with a small state, about 2 KiB, in values. Records written once have a stream each, and there are millions. */
const STREAM_WEIGHT = 40;

/**
 * The state of one stream as folded by its decider, with the revision and position up to which it was folded.
 *
 * `evolve` may change the state in place, so an event that was applied speculatively cannot be undone. If it does not reach the log, the
 * state is dropped and folded again from the log. The same happens if, after an interruption, the log does not contain the last folded
 * event: then it is another copy of the log.
 */
export class FoldedStream implements SavedStream {
  private foldedState: unknown;
  private last: LastEvent = NO_EVENT;
  /** Number of interruptions when the log was last known to be the folded one. */
  private confirmedAt = 0;
  private size = new StateSize();
  private keys: StreamKeys;
  private loaded = false;
  /** True while events are folded: the last known event may be in the middle of a command's events. */
  private folding = false;
  private unkept = new SnapshotBacklog();
  /** True if the state includes events that are not in the log, or not yet. */
  private speculative = false;

  constructor(
    readonly stream: string,
    readonly decider: Decider<unknown, unknown, DomainEvent>,
    private readonly sources: FoldingSources,
  ) {
    this.keys = this.newKeys();
    this.reset();
  }

  get state(): unknown {
    return this.foldedState;
  }

  /** Revision of the last known event; `null` if the stream has none. */
  get revision(): Revision | null {
    return this.last.revision;
  }

  /** Position of the last known event, or a later one. */
  get position(): Position {
    return this.last.position;
  }

  /**
   * Size in memory: a constant per stream, two for each idempotency key, and the approximate number of values in the state unless one
   * event holds all of it.
   */
  get weight(): number {
    return STREAM_WEIGHT + this.keys.weight + (this.isCounted ? this.size.values : (this.decider.weigh?.(this.foldedState) ?? 0));
  }

  /** Returns whether the state is made of more than one event. */
  private get isCounted(): boolean {
    return (this.decider.window ?? 2) > 1;
  }

  /** Must be awaited after commands, before the stream is weighed or stored. */
  async measure(): Promise<void> {
    if (this.isCounted) await this.size.count(this.foldedState);
  }

  /** Drops everything; the next `load` starts from the beginning. */
  reset(): void {
    this.foldedState = this.decider.initialState();
    this.last = NO_EVENT;
    this.confirmedAt = this.sources.interruptions();
    this.size = new StateSize();
    this.keys = this.newKeys();
    this.loaded = false;
    this.folding = false;
    this.unkept = new SnapshotBacklog();
    this.speculative = false;
  }

  /** Drops the state if it includes events that were applied speculatively. */
  discardSpeculation(): void {
    if (this.speculative) this.reset();
  }

  /** Returns whether it was read, and the log was not interrupted since. */
  get isLoaded(): boolean {
    return this.loaded && this.confirmedAt === this.sources.interruptions();
  }

  /** Reads the stream unless it was read before. Returns whether it was read now. */
  async load(): Promise<boolean> {
    if (this.loaded && (await this.isSameLog())) return false;
    const asOf = this.sources.interruptions();
    const { kept, events, isWhole } = await readStart(this.stream, this.decider, this.sources);
    if (kept) [this.foldedState, this.last] = [kept.state, kept.place];
    this.folding = true;
    await this.foldPage(events);
    this.loaded = true;
    this.folding = !isWhole;
    if (!isWhole || asOf !== this.sources.interruptions()) await this.catchUp(false);
    if (this.revision !== null) this.size = new StateSize(Number.POSITIVE_INFINITY);
    return true;
  }

  /** Folds events that other writers have appended since. Returns whether there were any. @param isWeighed `false` if all of it is counted then */
  async catchUp(isWeighed = true): Promise<boolean> {
    const before = this.revision;
    let short = false;
    for (;;) {
      if (!(await this.isSameLog())) return await this.load();
      const page = await this.sources.store.readStream(this.stream, { ...PAGE, from: (this.revision ?? -1n) + 1n });
      if (this.confirmedAt !== this.sources.interruptions()) continue; // the page may come from another log
      this.folding = page.length > 0;
      if (page.length === 0) return this.revision !== before;
      // A page with few events has many bytes.
      if (short) this.unkept.add(0, PAGE.maxBytes);
      short = page.length < PAGE.limit;
      await this.foldPage(page);
      if (isWeighed && this.isCounted) await this.size.addCounted(page);
    }
  }

  /**
   * After a refused append, folds the events of other writers. If the events up to `actual` were already truncated or have expired, only
   * their revision is left.
   */
  async catchUpTo(actual: ObservedHead): Promise<void> {
    this.discardSpeculation();
    if ((await this.load()) || (await this.catchUp())) return this.adoptRevision(actual);
    const known = this.revision;
    this.adoptRevision(actual);
    // The store is behind our state, so it is not the log that we folded.
    if (this.revision === known) this.reset();
  }

  private adoptRevision(actual: ObservedHead): void {
    if (typeof actual !== 'bigint' || (this.revision !== null && actual <= this.revision)) return;
    this.last = { ...this.last, revision: actual, id: null };
  }

  /** Checks whether the log is still the folded one. If it is not, everything is dropped. */
  private async isSameLog(): Promise<boolean> {
    while (this.confirmedAt !== this.sources.interruptions()) {
      const asOf = this.sources.interruptions();
      const { revision, id } = this.last;
      if (revision !== null && !(await hasEvent(this.sources.store, this.stream, { revision, id }))) {
        this.reset();
        return false;
      }
      this.confirmedAt = asOf;
    }
    return true;
  }

  /** Folds events of a command before they are appended, so that the next command is decided after them. */
  applySpeculatively(events: readonly ExecutedEvent[]): void {
    this.speculative = true;
    for (const event of events) this.evolve(event);
  }

  /**
   * Confirms that the events are in the log, the last one at `position`. `unapplied`: those not folded yet. `bytes`: approximate size of
   * their data.
   */
  confirm(events: readonly ExecutedEvent[], unapplied: readonly ExecutedEvent[], position: Position, bytes: number): void {
    for (const event of unapplied) this.evolve(event);
    for (const event of events) this.keys.remember(event);
    this.speculative = false;
    this.size.add(events.length, bytes);
    this.unkept.add(events.length, bytes);
    const { revision, id } = events.at(-1) ?? this.last;
    this.last = { revision, id, position };
  }

  /** Ensures that {@link usedKey} knows every use of these keys in the 48 hours before `time`. */
  async loadKeys(keys: readonly string[], time: string): Promise<void> {
    await this.keys.load(keys, time, this.revision);
    if (await this.isSameLog()) return;
    await this.load();
    await this.loadKeys(keys, time);
  }

  /** Remembers the idempotency key of a command that recorded no event, if its decider keeps those. */
  rememberUnchanged({ idempotency, time }: Pick<CommandContext, 'idempotency' | 'time'>): void {
    if (idempotency && this.decider.keepsKeys) this.keys.rememberUnchanged(idempotency, time, this.revision);
  }

  usedKey(key: string, time: string): KeyUse | undefined {
    return this.keys.find(key, time);
  }

  private newKeys(): StreamKeys {
    return new StreamKeys(() => keySource(this.stream, this.sources, (from, downTo) => this.readBack(from, downTo)));
  }

  /** Reads a page to search for keys. If there are many, they are worth storing, or the next process would search the pages, too. */
  private async readBack(from: Revision, downTo: Revision): Promise<readonly RecordedEvent[]> {
    const limit = Math.min(PAGE.limit, Number(from - downTo) + 1);
    const page = await this.sources.store.readStream(this.stream, { ...PAGE, from, direction: 'backwards', limit });
    this.unkept.add(page.length);
    return page;
  }

  get rule(): StateSnapshots<unknown> | undefined {
    return this.decider.window === undefined ? this.decider.snapshots : undefined;
  }

  get isDue(): boolean {
    const { rule } = this;
    if (this.decider.window !== undefined) return this.unkept.areKeysDue;
    return rule !== undefined && !this.speculative && this.unkept.isStateDue(rule.every, this.size.values);
  }

  capture(): CapturedState | undefined {
    const { rule } = this;
    const place = snapshotPlaceOf(this.last);
    if (!rule || !place || this.speculative || this.size.values > FEW_VALUES || this.unkept.length > LONG_TEXT) return undefined;
    const text = [...linesOf(rule.save ? rule.save(this.foldedState) : this.foldedState)].join('\n');
    return { place, text, subjects: [...(rule.subjects?.(this.foldedState) ?? [])] };
  }

  async copy(): Promise<Readonly<{ state: unknown; place: SnapshotPlace | undefined }>> {
    const copy = new FoldedStream(this.stream, this.decider, this.sources);
    await copy.load();
    return { state: copy.foldedState, place: snapshotPlaceOf(copy.last) };
  }

  async unsavedKeys(now: number): ReturnType<SavedStream['unsavedKeys']> {
    const { keys } = this; // a reset replaces them
    await keys.prepare(now, this.revision);
    const place = keys === this.keys && keys.isComplete && !this.folding ? snapshotPlaceOf(this.last) : undefined;
    return { ...keys.unsaved(), place, kept: (stored) => keys.saved(stored) };
  }

  saved({ revision }: SnapshotPlace, characters = 0): void {
    this.unkept.kept(Number((this.revision ?? revision) - revision), characters);
  }

  /** Folds in slices, because a long history must not block other work. */
  private async foldPage(page: readonly RecordedEvent[]): Promise<void> {
    this.unkept.add(page.length);
    const slice = shortSlice();
    for (let start = 0; start < page.length; start += DECODED_EVENTS) {
      const stored = page.slice(start, start + DECODED_EVENTS);
      const decoded = await readableEvents((events) => this.sources.codec.decodeAll(events), stored);
      for (const [index, event] of stored.entries()) {
        this.foldStored(event, decoded[index]);
        this.size.add(1);
        this.last = { revision: event.revision, id: event.id, position: event.position };
        if (slice.isOver) await slice.next();
      }
    }
  }

  /**
   * Skips an event that the rules cannot process, like one that cannot be decoded: read models set it aside, and writes continue. Its key is known, so
   * that its command is not done again.
   */
  private foldStored({ revision, metadata }: RecordedEvent, event: ProjectedEvent | undefined): void {
    try {
      if (event) this.foldedState = this.decider.evolve(this.foldedState, event, revision);
    } catch {
      // skipped
    }
    this.keys.remember({ revision, metadata: event?.metadata ?? this.sources.codec.currentMetadata(metadata) });
  }

  private evolve(event: ExecutedEvent): void {
    this.foldedState = this.decider.evolve(this.foldedState, event, event.revision);
  }
}
