import { Injectable } from '@nestjs/common';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { SharedTurn } from '#infra/platform/scheduling/shared-turn.js';

const MIB = 1024 * 1024;
/** Bytes of messages in answers that are made or sent at a time. */
const ALL_BYTES = 96 * MIB;
/** Smaller answers are not counted: as many of them as there may be connections do no harm. */
const SMALL_BYTES = 16 * 1024;

/** Memory for answers to pulls, from the moment their messages are read until they are sent. Calls that find none wait, projects in turns. */
@Injectable()
export class PullMemory {
  private readonly room = new MemoryBudget(ALL_BYTES);
  private readonly reading = new SharedTurn();

  /** An empty reservation for the answer to a call in a project. The signal ends its waiting. */
  open(projectId: string, signal: AbortSignal): PullReservation {
    return new PullReservation(this.room, projectId, signal, this.reading);
  }
}

/** The memory that one answer holds. */
export class PullReservation {
  private releases: (() => void)[] = [];
  private closed = false;

  constructor(
    private readonly room: MemoryBudget,
    private readonly projectId: string,
    private readonly signal: AbortSignal,
    private readonly reading = new SharedTurn(),
  ) {}

  /** Whether others wait for memory, so that nothing should be read before memory is reserved for it. */
  get isContended(): boolean {
    return this.room.isCrowded;
  }

  /** Reads messages: few answers in a turn of the event loop if they are large. */
  read<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.reading.do(read);
  }

  /** Reserves more bytes if that is possible at once. */
  tryReserve(bytes: number): boolean {
    if (bytes <= SMALL_BYTES && this.releases.length === 0) return true;
    const release = this.room.tryTake(bytes);
    if (release) this.keep(release);
    return release !== undefined;
  }

  /** Reserves more bytes, whether they are free or not. Two answers that waited while they hold some could block each other for ever. */
  reserveAnyway(bytes: number): void {
    this.keep(this.room.takeAnyway(bytes));
  }

  /** Reserves bytes in its turn. Resolves with `false` if the signal comes first. */
  async reserve(bytes: number): Promise<boolean> {
    const release = await this.room.take(this.projectId, bytes, this.signal).catch(() => undefined);
    if (!release) return false;
    this.keep(release);
    await new TimeSlice(0).next(); // many may have got memory at once
    return true;
  }

  /** Gives everything back. */
  release(): void {
    for (const release of this.releases.splice(0)) release();
  }

  /** The same for good: what it is still waiting for is given back when it comes. */
  close(): void {
    this.closed = true;
    this.release();
  }

  private keep(release: () => void): void {
    if (this.closed) release();
    else this.releases.push(release);
  }
}
