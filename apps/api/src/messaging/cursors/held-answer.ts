import { Room } from '#infra/scheduling/room.js';
import { SharedTurn } from '#infra/scheduling/shared-turn.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';

const MIB = 1024 * 1024;
/** Bytes of messages in answers that are made or sent at a time. */
const ALL = 96 * MIB;
/** An answer of so many bytes is not counted: as many of them as there may be connections do no harm. */
const SMALL = 16 * 1024;

/** Memory for answers to pulls, from the moment their messages are read until they are sent; who finds none waits, projects in turns. */
export class AnswerRoom {
  private readonly room = new Room(ALL);
  private readonly reading = new SharedTurn();

  /** An answer to a call in a project, with nothing in it yet. The signal ends its waiting. */
  open(projectId: string, signal: AbortSignal): HeldAnswer {
    return new HeldAnswer(this.room, projectId, signal, this.reading);
  }
}

/** What one answer holds of the room. */
export class HeldAnswer {
  private gives: (() => void)[] = [];
  private closed = false;

  constructor(
    private readonly room: Room,
    private readonly projectId: string,
    private readonly signal: AbortSignal,
    private readonly reading = new SharedTurn(),
  ) {}

  /** Whether others wait, so that nothing should be read before it is known where to put it. */
  get isCrowded(): boolean {
    return this.room.isCrowded;
  }

  /** Reads messages, few answers in a turn of the event loop where they are large. */
  read<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.reading.do(read);
  }

  /** Holds so many bytes more if that is possible at once. */
  tryHold(bytes: number): boolean {
    if (bytes <= SMALL && this.gives.length === 0) return true;
    const give = this.room.tryTake(bytes);
    if (give) this.keep(give);
    return give !== undefined;
  }

  /** Holds so many bytes more, come what may. Waiting with something in hand could keep two from ever going on. */
  holdAnyway(bytes: number): void {
    this.keep(this.room.takeAnyway(bytes));
  }

  /** Holds so many bytes, when its turn has come; false when the signal came first. */
  async hold(bytes: number): Promise<boolean> {
    const give = await this.room.take(this.projectId, bytes, this.signal).catch(() => undefined);
    if (!give) return false;
    this.keep(give);
    await new TimeSlice(0).next(); // many may have got room at once
    return true;
  }

  /** Holds nothing any more. */
  empty(): void {
    for (const give of this.gives.splice(0)) give();
  }

  /** The same for good: what it waits for yet is given back when it comes. */
  close(): void {
    this.closed = true;
    this.empty();
  }

  private keep(give: () => void): void {
    if (this.closed) give();
    else this.gives.push(give);
  }
}
