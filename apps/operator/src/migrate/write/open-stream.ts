import type { Decider } from '#domain/shared/decider.js';
import { WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { DomainEvent, Revision } from '#domain/shared/events.js';
import { CommandFailed } from '#operator/command-failed.js';
import type { MigratedEvent, MigrationTarget } from './target.js';

const PAGE = 1_000;
/** Events per append. The events of one document are never divided. */
const BATCH = 500;

type AnyDecider = Decider<unknown, unknown, DomainEvent>;

/** A stream for commands: its state, the times of its events by id, and the events waiting to be written. */
export class OpenStream {
  /** Resolves when everything sent is written. */
  sent: Promise<void> = Promise.resolve();
  private waiting: MigratedEvent[] = [];

  private constructor(
    private readonly target: MigrationTarget,
    private readonly stream: string,
    private readonly decider: AnyDecider,
    public state: unknown,
    private readonly times: Map<string, string>,
    private head: Revision | null,
  ) {}

  static async of(target: MigrationTarget, stream: string, decider: AnyDecider): Promise<OpenStream> {
    const times = new Map<string, string>();
    let state = decider.initialState();
    let head: Revision | null = null;
    for (;;) {
      const page = await target.read(stream, head === null ? 0n : head + 1n, PAGE);
      for (const { id, type, data, revision, metadata } of page) {
        times.set(id, metadata.time);
        state = decider.evolve(state, { type, data });
        head = revision;
      }
      if (page.length === 0) return new OpenStream(target, stream, decider, state, times, head);
    }
  }

  /** Number of events of the stream, including waiting ones. */
  get count(): number {
    return this.times.size;
  }

  knows(id: string): boolean {
    return this.times.has(id);
  }

  /** Time of the event; `undefined` if the stream does not have it. */
  timeOf(id: string): string | undefined {
    return this.times.get(id);
  }

  /** Decides a command, and updates the state with its events. @throws DomainError */
  decide(command: unknown): readonly DomainEvent[] {
    const events = this.decider.decide(command, this.state);
    for (const event of events) this.state = this.decider.evolve(this.state, event);
    return events;
  }

  /** Adds an event without a decision. */
  take(event: DomainEvent): readonly DomainEvent[] {
    this.state = this.decider.evolve(this.state, event);
    return [event];
  }

  add(events: readonly MigratedEvent[]): void {
    this.waiting.push(...events);
    for (const { id, metadata } of events) this.times.set(id, metadata.time);
  }

  /** Returns whether the waiting events fill an append. */
  get isFull(): boolean {
    return this.waiting.length >= BATCH;
  }

  /** Writes the waiting events, after those sent before. */
  send(): void {
    if (this.waiting.length === 0) return;
    const events = this.waiting;
    this.waiting = [];
    const expected = this.head ?? 'no-stream';
    this.head = (this.head ?? -1n) + BigInt(events.length);
    this.sent = this.sent.then(async () => {
      try {
        await this.target.append(this.stream, events, expected);
      } catch (error) {
        throw error instanceof WrongExpectedRevision
          ? new CommandFailed(`somebody else has written to ${this.stream} meanwhile: stop all nodes, then run it again`)
          : error;
      }
    });
    this.sent.catch(() => {}); // the error is thrown by the next flush
  }
}
