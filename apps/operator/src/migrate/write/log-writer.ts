import { reactionTo } from '#domain/shared/causation.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { type Retention, WrongExpectedRevision } from '#domain/shared/event-store.js';
import { type DomainEvent, type EventMetadata, type ServiceName } from '#domain/shared/events.js';
import { type DocumentOrigin, derivedId } from './event-ids.js';
import { OpenStream } from './open-stream.js';
import { isEmptyStream, type MigratedEvent, type MigrationTarget } from './target.js';

/** Actor of migrated events. */
const MIGRATE_ACTOR = { kind: 'system', id: 'migrate' } as const;

/** `written`: in a dry run, would be. `present`: an earlier run has written it. */
export type WriteResult = 'written' | 'present';

/** An event recorded with its original time, `YYYY-MM-DDTHH:MM:SS.sssZ`, without a decider. */
export type HistoricalEvent<Event extends DomainEvent> = Readonly<{ event: Event; time: string }>;
/** A command decided by the rules as of its time, or a fact. */
export type MigratedStep<Command, Event extends DomainEvent> = Readonly<{ command: Command; time: string }> | HistoricalEvent<Event>;

export type DecidedCommand<State, Command, Event extends DomainEvent> = Readonly<{
  origin: DocumentOrigin;
  stream: string;
  decider: Decider<State, Command, Event>;
  steps: readonly MigratedStep<Command, Event>[];
}>;

/** A rule forbids a later command of a record; the earlier ones are written. */
export class PartlyRefused extends Error {
  override readonly name = 'PartlyRefused';
  constructor(override readonly cause: DomainError) {
    super(cause.code);
  }
}

/** For `catch`: returns the error if the earlier commands of the record count. @throws every other error */
export const partlyRefused = (error: unknown): PartlyRefused => {
  if (error instanceof PartlyRefused) return error;
  throw error;
};

/** Maximum number of waiting events, over all streams. */
const MOST_WAITING = 4_000;
/** Maximum number of streams with their state in memory, in addition to those with many events. */
const MOST_OPEN = 1_000;
/** Streams with fewer events can be read again quickly. */
const SMALL = 500;

/**
 * Turns documents into events. The same document always creates the same ids, so events written by an earlier run are recognised: a
 * migration can be killed at any time and run again. The events of one document in one stream are written together or not at all.
 */
export class LogWriter {
  private readonly streams = new Map<string, OpenStream>();
  private readonly unwritten = new Set<OpenStream>();
  private waiting = 0;
  /** Start of the run. */
  private readonly begun = new Date().toISOString();
  /** Documents with a later time, by collection and id. */
  private readonly postdated = new Set<string>();
  /** Documents of earlier runs with a later time than that of their newest event, by collection and id: that time. */
  private readonly earlier = new Map<string, string>();

  constructor(
    private readonly target: MigrationTarget,
    private readonly service: ServiceName,
    private readonly dryRun: boolean,
  ) {}

  /**
   * Decides commands by the rules, one after another. Returns when they are decided; {@link flush} waits until all are written.
   * @throws DomainError a rule forbids the first command: nothing of the document goes into this stream
   * @throws PartlyRefused a rule forbids a later one: the earlier ones count
   */
  async decide<State, Command, Event extends DomainEvent>(decided: DecidedCommand<State, Command, Event>): Promise<WriteResult> {
    const { origin, stream, decider, steps } = decided;
    this.notePostdated(origin, steps);
    const open = await this.open(stream, decider);
    if (open.knows(this.idOf(origin, stream, 0))) {
      this.noteEarlier(decided, open);
      return 'present';
    }
    const events: MigratedEvent[] = [];
    try {
      for (const step of steps) {
        const made = 'event' in step ? open.take(step.event) : open.decide(step.command);
        for (const event of made) events.push(this.migrated(origin, stream, events.length, event, step.time));
      }
    } catch (error) {
      throw events.length > 0 && error instanceof DomainError ? new PartlyRefused(error) : error;
    } finally {
      open.add(events); // the state already includes them
      if (events.length > 0) this.unwritten.add(open);
      this.waiting += events.length;
    }
    // A full stream does not go ahead of others: its events may need theirs before them in the log.
    if (this.waiting > MOST_WAITING || open.isFull) await this.flush();
    return 'written';
  }

  /** Returns whether a run has written events of the document in the stream. */
  async has<State, Command, Event extends DomainEvent>({
    origin,
    stream,
    decider,
  }: Omit<DecidedCommand<State, Command, Event>, 'steps'>): Promise<boolean> {
    return (await this.open(stream, decider)).knows(this.idOf(origin, stream, 0));
  }

  /**
   * Writes the only events of a stream, unchanged. Returns when they are on disk; several calls may run concurrently.
   * @param recordedAt time at which another log stored them, milliseconds since 1970-01-01 UTC
   * @throws WrongExpectedRevision the stream has other events
   */
  async record<Event extends DomainEvent>(
    origin: DocumentOrigin,
    stream: string,
    facts: readonly HistoricalEvent<Event>[],
    recordedAt?: number,
  ): Promise<WriteResult> {
    this.notePostdated(origin, facts);
    const events = facts.map(({ event, time }, index) => this.migrated(origin, stream, index, event, time));
    if (!this.dryRun)
      return (await this.target.append(stream, events, 'no-stream', recordedAt)) <= this.target.begun ? 'present' : 'written';
    const [first] = await this.target.read(stream, 0n, 1);
    if (first && first.id !== events[0]?.id) throw new WrongExpectedRevision(stream, 'no-stream', first.revision);
    return first ? 'present' : 'written';
  }

  /**
   * Writes the first event of a stream that the server continues, and sets the retention of the stream before. A stream that has, or had,
   * events is left as it is.
   */
  async begin<Event extends DomainEvent>(
    origin: DocumentOrigin,
    stream: string,
    first: HistoricalEvent<Event>,
    retention?: Retention,
  ): Promise<WriteResult> {
    if (!(await isEmptyStream(this.target, stream))) return 'present';
    if (retention) await this.target.setRetention(stream, retention);
    try {
      return await this.record(origin, stream, [first]);
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return 'present';
      throw error;
    }
  }

  /** Returns whether events of the document have the time of the start of the run instead of a later one. */
  isPostdated({ collection, id }: DocumentOrigin): boolean {
    return this.postdated.has(`${collection} ${id}`);
  }

  /**
   * Time of the newest event that an earlier run wrote of the document, if the document has a later one: it has changed since, or is dated later
   * than the start of that run.
   */
  earlierTime({ collection, id }: DocumentOrigin): string | undefined {
    return this.earlier.get(`${collection} ${id}`);
  }

  /** Returns whether events of this time get that of the start of the run instead. */
  isLater(time: string): boolean {
    return time > this.begun;
  }

  /** Waits until everything is written. Streams begin in the order of their first use; in an outage any of them may be first. */
  async flush(): Promise<void> {
    const open = [...this.unwritten];
    this.unwritten.clear();
    for (const stream of open) stream.send();
    await Promise.all(open.map(({ sent }) => sent));
    this.waiting = 0;
  }

  /** The state of a stream, including events of this run. Must not be changed. */
  async state<State, Command, Event extends DomainEvent>(stream: string, decider: Decider<State, Command, Event>): Promise<State> {
    return (await this.open(stream, decider)).state as State;
  }

  private async open<State, Command, Event extends DomainEvent>(
    stream: string,
    decider: Decider<State, Command, Event>,
  ): Promise<OpenStream> {
    const known = this.streams.get(stream);
    if (known) return known;
    if (this.streams.size >= MOST_OPEN && !this.dryRun) await this.forgetSmall();
    const opened = await OpenStream.of(this.target, stream, decider);
    this.streams.set(stream, opened);
    return opened;
  }

  /** They are read again when needed. In a dry run the decided events exist only here. */
  private async forgetSmall(): Promise<void> {
    await this.flush();
    for (const [name, { count }] of this.streams) if (count < SMALL) this.streams.delete(name);
  }

  private idOf({ collection, id }: DocumentOrigin, stream: string, index: number): string {
    return derivedId(this.service, collection, id, stream, index);
  }

  private notePostdated({ collection, id }: DocumentOrigin, steps: readonly Readonly<{ time: string }>[]): void {
    if (steps.some(({ time }) => this.isLater(time))) this.postdated.add(`${collection} ${id}`);
  }

  private noteEarlier<State, Command, Event extends DomainEvent>(
    { origin, stream, steps }: DecidedCommand<State, Command, Event>,
    open: OpenStream,
  ): void {
    let newest = '';
    for (let index = 0; ; index++) {
      const time = open.timeOf(this.idOf(origin, stream, index));
      if (time === undefined) break;
      if (time > newest) newest = time;
    }
    if (steps.some(({ time }) => time > newest)) this.earlier.set(`${origin.collection} ${origin.id}`, newest);
  }

  /** No event is later than the start of the run: log time never goes back, so reads as of any time until then would end at that event. */
  private migrated(origin: DocumentOrigin, stream: string, index: number, event: DomainEvent, time: string): MigratedEvent {
    const command = derivedId(this.service, 'migrate');
    const metadata: Omit<EventMetadata, 'schemaVersion'> = {
      time: this.isLater(time) ? this.begun : time,
      actor: MIGRATE_ACTOR,
      service: this.service,
      requestId: derivedId(this.service, origin.collection, origin.id),
      ...reactionTo({ id: command, correlationId: command }),
    };
    return { id: this.idOf(origin, stream, index), event, metadata };
  }
}
