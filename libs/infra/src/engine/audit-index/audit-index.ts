import { setTimeout as sleep } from 'node:timers/promises';
import type { LogTimeline, Moment } from '#domain/operations/moments.js';
import type { Position, ServiceName } from '#domain/shared/events.js';
import { firstIndex } from '#domain/shared/first-index.js';
import { type Checkpoint, type IndexDatabases, numberKey, readCheckpoint, readDivergence } from './databases.js';
import { EventList, type Order } from './event-list.js';
import { ACTOR_KINDS, actorName, NameReader } from './names.js';
import { AnyOf, type IndexList, TermList } from './postings.js';
import type { IndexRecord } from './record.js';
import { TallyReader } from './tallies.js';
import { idOfText, type Term, type TermKind, termOf } from './terms.js';

/** What is indexed of an event. */
export type IndexedEvent = IndexRecord & Readonly<{ index: number; streamName: string }>;

/** All of them have to hold. Empty lists and members that are left out do not restrict. */
export type EventFilter = Readonly<{
  stream?: string | undefined;
  category?: string | undefined;
  types?: readonly string[] | undefined;
  /** Id of an actor of any kind. */
  actor?: string | undefined;
  service?: ServiceName | undefined;
  correlation?: string | undefined;
  request?: string | undefined;
  resource?: string | undefined;
}>;

/** The index was emptied, or is damaged: it is being built anew. */
export class AuditIndexIncomplete extends Error {
  override readonly name = 'AuditIndexIncomplete';
}

const WAIT_MS = 2_000;
/** Between looks at how far the index has come: soon at first. */
const [FIRST_LOOK_MS, LONGEST_LOOK_MS] = [2, 50];

/** The reading side of the audit index: what the follower has committed so far, also from another thread or process. */
export class AuditIndex implements LogTimeline {
  private readonly names: NameReader;
  readonly tallies: TallyReader;
  private seen = 0;

  constructor(private readonly databases: IndexDatabases) {
    this.names = new NameReader(databases);
    this.tallies = new TallyReader(databases);
  }

  /** How far the index is now. */
  checkpoint(): Checkpoint {
    this.databases.root.resetReadTxn();
    const checkpoint = readCheckpoint(this.databases);
    if (checkpoint.size < this.seen) this.names.forget();
    this.seen = checkpoint.size;
    return checkpoint;
  }

  /** Why the index does not go on, in words for anybody; `null`: it does. */
  stopped(): string | null {
    this.databases.root.resetReadTxn();
    const divergence = readDivergence(this.databases);
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

  /** @throws AuditIndexIncomplete there is no event with this index */
  event(index: number): IndexedEvent {
    const record = this.databases.records.get(numberKey(index));
    const streamName = record && this.names.nameOf(record.stream);
    if (streamName === undefined) throw new AuditIndexIncomplete(`event ${index} is not indexed`);
    return { ...record, index, streamName } as IndexedEvent;
  }

  async atInstant(milliseconds: number): Promise<Moment | null> {
    return this.moment(this.countUntil(({ logTime }) => logTime > milliseconds) - 1);
  }

  async atPosition(position: Position): Promise<Moment | null> {
    return this.moment(this.countUntil((record) => record.position > position) - 1);
  }

  /** Number of events with a log time before an instant. */
  countBefore(milliseconds: number): number {
    return this.countUntil(({ logTime }) => logTime >= milliseconds);
  }

  /** Number of events at or before a position. */
  countUpTo(position: Position): number {
    return this.countUntil((record) => record.position > position);
  }

  /** The events that pass; `null`: the index knows that there are none. */
  select(filter: EventFilter): EventList | null {
    const groups = this.termsOf(filter);
    if (groups.some((terms) => terms.length === 0)) return null;
    return new EventList(groups.map((terms) => this.listOf(terms)));
  }

  hasStream(stream: string): boolean {
    return this.names.idOf('stream', stream) !== undefined;
  }

  /** Index of the first event of a stream that has this revision or a later one; `undefined`: there is none. */
  indexOfRevision(stream: string, revision: number): number | undefined {
    const list = this.streamList(stream);
    const first = firstIndex(0, this.checkpoint().size, (index) => {
      const found = list?.from(index);
      return found === undefined || this.record(found).revision >= revision;
    });
    return list?.from(first);
  }

  /** Revision of the last event of a stream before an index, or, backwards, of the first one behind it. */
  revisionBeside(stream: string, index: number, order: Order): number | undefined {
    const list = this.streamList(stream);
    const found = order === 'asc' ? list?.upTo(index - 1) : list?.from(index + 1);
    return found === undefined ? undefined : this.record(found).revision;
  }

  /** Names of the streams of a category, a few at a time. */
  *streamsOf(category: string): Generator<string> {
    for (let after: string | undefined; ; ) {
      const ids = this.names.streamIdsAfter(category, after);
      for (const { id, key } of ids) {
        const name = this.names.nameOf(id);
        if (name !== undefined) yield name;
        after = key;
      }
      if (ids.length === 0) return;
    }
  }

  /** Name of a key, in force or revoked. */
  keyName(keyId: string): string | null {
    return this.tallies.keyName(keyId) ?? null;
  }

  /** `holds` is false for the first events and true from some event on. */
  private countUntil(holds: (record: IndexRecord) => boolean): number {
    return firstIndex(0, this.checkpoint().size, (index) => holds(this.record(index)));
  }

  private record(index: number): IndexRecord {
    const record = this.databases.records.get(numberKey(index));
    if (!record) throw new AuditIndexIncomplete(`event ${index} is not indexed`);
    return record;
  }

  private moment(index: number): Moment | null {
    if (index < 0) return null;
    const { position, logTime } = this.record(index);
    return { index, position, time: new Date(logTime).toISOString() };
  }

  private termsOf(filter: EventFilter): readonly (readonly Term[])[] {
    const groups: (readonly Term[])[] = [];
    const named = (kind: 'stream' | 'category' | 'type' | 'actor', names: readonly string[]): void => {
      groups.push(names.map((name) => this.names.idOf(kind, name)).flatMap((id) => (id === undefined ? [] : [termOf(kind, id)])));
    };
    const hashed = (kinds: readonly TermKind[], text: string): void => {
      groups.push(kinds.map((kind) => termOf(kind, idOfText(text))));
    };
    const { stream, category, types = [], actor, service, correlation, request, resource } = filter;
    if (stream !== undefined) named('stream', [stream]);
    if (category !== undefined) named('category', [category]);
    if (types.length > 0) named('type', types);
    if (actor !== undefined)
      named(
        'actor',
        ACTOR_KINDS.map((kind) => actorName(kind, actor)),
      );
    if (service !== undefined) hashed(['service'], service);
    if (correlation !== undefined) hashed(['correlationOnly', 'requestAndCorrelation'], correlation);
    if (request !== undefined) hashed(['requestOnly', 'requestAndCorrelation'], request);
    if (resource !== undefined) hashed(['resource'], resource);
    return groups;
  }

  private streamList(stream: string): TermList | undefined {
    const id = this.names.idOf('stream', stream);
    return id === undefined ? undefined : new TermList(this.databases, termOf('stream', id));
  }

  private listOf(terms: readonly Term[]): IndexList {
    const lists = terms.map((term) => new TermList(this.databases, term));
    return lists.length === 1 && lists[0] ? lists[0] : new AnyOf(lists);
  }
}
