import { setTimeout as sleep } from 'node:timers/promises';
import type { LogMoment, LogTimeline } from '#domain/operations/moments.js';
import { commandPartOf } from '#domain/shared/event-ids.js';
import type { Position, ServiceName } from '#domain/shared/events.js';
import { firstIndex } from '#domain/shared/first-index.js';
import type { Checkpoint } from './checkpoint.js';
import { EventList, type Order } from './event-list.js';
import type { IndexFiles } from './index-files.js';
import type { IndexRecord } from './pieces/record.js';
import { AnyOf, type IndexList, TermList } from './postings.js';
import { actorTerms, TallyReader } from './tallies.js';
import { ACTOR_KINDS, type Term, type TermKind, termIn, termOf, textOf } from './terms.js';

/** Indexed members of an event. */
export type IndexedEvent = Omit<IndexRecord, 'stream'> & Readonly<{ index: number; streamName: string }>;

/** All conditions must hold. Empty lists and missing members do not restrict. */
export type EventFilter = Readonly<{
  /** Id of an event. Those of the same command are selected, too. */
  event?: string | undefined;
  stream?: string | undefined;
  category?: string | undefined;
  types?: readonly string[] | undefined;
  /** Id of an actor of any kind. */
  actor?: string | undefined;
  service?: ServiceName | undefined;
  correlation?: string | undefined;
  causation?: string | undefined;
  request?: string | undefined;
  resource?: string | undefined;
}>;

const WAIT_MS = 2_000;
/** Intervals between checks of the index's progress, short at first. */
const [FIRST_LOOK_MS, LONGEST_LOOK_MS] = [2, 50];

/**
 * The reading side of the audit index: reads the follower's commits, even those of another thread or process. Look-ups throw
 * AuditIndexIncomplete if the data are missing or damaged.
 */
export class AuditIndex implements LogTimeline {
  readonly tallies: TallyReader;

  constructor(private readonly files: IndexFiles) {
    this.tallies = new TallyReader(files);
  }

  /** Current progress of the index. */
  checkpoint(): Checkpoint {
    this.files.refresh();
    return this.files.tail.checkpoint;
  }

  /** Identifies this build of the index. It changes when the index begins anew, because the log is another one; then earlier counts are invalid. */
  get build(): string {
    return this.files.salt;
  }

  /** Reason why the index has stopped, in plain words; `null` if it has not. */
  stopped(): string | null {
    this.files.refresh();
    const divergence = this.files.manifest?.divergence;
    return divergence?.stopped ? divergence.reason : null;
  }

  async reached(position: Position, timeoutMilliseconds = WAIT_MS, signal?: AbortSignal): Promise<boolean> {
    const end = performance.now() + timeoutMilliseconds;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LONGEST_LOOK_MS)) {
      if (BigInt(this.checkpoint().position) >= position) return true;
      if (performance.now() >= end || signal?.aborted) return false;
      await sleep(pause);
    }
  }

  event(index: number): IndexedEvent {
    const { stream: _stream, ...kept } = this.files.record(index);
    return { ...kept, index, streamName: textOf(this.files.streamOf(index)) };
  }

  async atInstant(milliseconds: number): Promise<LogMoment | null> {
    return this.moment(this.countUntil(({ logTime }) => logTime > milliseconds) - 1);
  }

  async atPosition(position: Position): Promise<LogMoment | null> {
    const count = this.countUpTo(position);
    return this.continues(count) ? this.momentBefore(count) : this.moment(count - 1);
  }

  /** The last event before the append of an event; `null` if there is none. */
  momentBefore(index: number): LogMoment | null {
    let first = index;
    while (this.continues(first)) first -= 1;
    return this.moment(first - 1);
  }

  /** The last event of the append of an event: reads as of it show what the event has changed. */
  momentAfter(index: number): LogMoment {
    let last = index;
    while (this.continues(last + 1)) last += 1;
    return this.moment(last) as LogMoment;
  }

  /** Number of events with a log time before an instant. */
  countBefore(milliseconds: number): number {
    return this.countUntil(({ logTime }) => logTime >= milliseconds);
  }

  /** Number of events at or before a position. */
  countUpTo(position: Position): number {
    return this.countUntil((record) => record.position > position);
  }

  /** Index of the event at a position; `null`: the index has none there. */
  indexAt(position: Position): number | null {
    const index = this.countUpTo(position) - 1;
    return index >= 0 && this.record(index).position === position ? index : null;
  }

  /** The events that pass; `null` if the index shows that there are none. */
  select(filter: EventFilter): EventList | null {
    const groups = this.termsOf(filter);
    if (groups.some((terms) => terms.length === 0)) return null;
    return new EventList(groups.map((terms) => this.listOf(terms)));
  }

  /** Whether a request, by its id, led to an event. */
  hasRequest(request: string): boolean {
    return this.termsOf({ request }).some((terms) => this.listOf(terms).from(0) !== undefined);
  }

  /** Whether other requests belong to the conversation with this id. */
  hasConversation(correlation: string): boolean {
    return this.listOf([termIn(this.files.salt, 'correlationOnly', correlation)]).from(0) !== undefined;
  }

  hasStream(stream: string): boolean {
    return this.streamList(stream).from(0) !== undefined;
  }

  /** Index of the first event of a stream with this revision or a later one; `undefined` if there is none. */
  indexOfRevision(stream: string, revision: number): number | undefined {
    const list = this.streamList(stream);
    const first = firstIndex(0, this.checkpoint().size, (index) => {
      const found = list.from(index);
      return found === undefined || this.record(found).revision >= revision;
    });
    return list.from(first);
  }

  /** Revision of the last event of a stream before an index, or, backwards, of the first one behind it. */
  revisionBeside(stream: string, index: number, order: Order): number | undefined {
    const list = this.streamList(stream);
    const found = order === 'asc' ? list.upTo(index - 1) : list.from(index + 1);
    return found === undefined ? undefined : this.record(found).revision;
  }

  /** Names of the streams of a category. */
  *streamsOf(category: string): Generator<string> {
    for (const term of this.files.termsFrom(termOf('stream', `${category}-`))) yield textOf(term);
  }

  /** Name of a key, active or revoked. */
  keyName(keyId: string): string | null {
    return this.tallies.keyName(keyId) ?? null;
  }

  /** `holds` must be false up to some event and true after it. */
  private countUntil(holds: (record: IndexRecord) => boolean): number {
    return firstIndex(0, this.checkpoint().size, (index) => holds(this.record(index)));
  }

  /** Whether an event was appended together with the one before it. */
  private continues(index: number): boolean {
    return this.files.reading(() => index < this.files.tail.end) && this.record(index).continues;
  }

  private record(index: number): IndexRecord {
    return this.files.record(index);
  }

  private moment(index: number): LogMoment | null {
    if (index < 0) return null;
    const { position, logTime } = this.record(index);
    return { index, position, time: new Date(logTime).toISOString() };
  }

  private termsOf(filter: EventFilter): readonly (readonly Term[])[] {
    const groups: (readonly Term[])[] = [];
    const named = (kind: TermKind, names: readonly string[]): void => {
      groups.push(names.map((name) => termOf(kind, name)).filter((term) => this.listOf([term]).from(0) !== undefined));
    };
    const hashed = (kinds: readonly TermKind[], text: string): void => {
      groups.push(kinds.map((kind) => termIn(this.files.salt, kind, text)));
    };
    const { event, stream, category, types = [], actor, service, correlation, causation, request, resource } = filter;
    if (event !== undefined) hashed(['event'], commandPartOf(event));
    if (stream !== undefined) named('stream', [stream]);
    if (category !== undefined) named('category', [category]);
    if (types.length > 0) named('type', types);
    if (actor !== undefined) groups.push(ACTOR_KINDS.flatMap((kind) => actorTerms(this.files, { kind, id: actor })));
    if (service !== undefined) named('service', [service]);
    if (correlation !== undefined) hashed(['correlationOnly', 'requestAndCorrelation'], correlation);
    if (causation !== undefined) hashed(['causationOnly', 'requestOnly', 'correlationOnly', 'requestAndCorrelation'], causation);
    if (request !== undefined) hashed(['requestOnly', 'requestAndCorrelation'], request);
    if (resource !== undefined) hashed(['resource'], resource);
    return groups;
  }

  private streamList(stream: string): TermList {
    return new TermList(this.files, termOf('stream', stream));
  }

  private listOf(terms: readonly Term[]): IndexList {
    const lists = terms.map((term) => new TermList(this.files, term));
    return lists.length === 1 && lists[0] ? lists[0] : new AnyOf(lists);
  }
}
