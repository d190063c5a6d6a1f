import { Injectable } from '@nestjs/common';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { SharedTurn } from '#infra/platform/scheduling/shared-turn.js';

const MIB = 1024 * 1024;
/** Maximum bytes of messages in answers that are being made or sent. */
const ALL_BYTES = 96 * MIB;
/** Smaller answers are not counted: even one for each possible connection does no harm. */
const SMALL_BYTES = 16 * 1024;

/** Memory for answers to pulls, from the read of their messages until they are sent. If none is free, calls wait; projects take turns. */
@Injectable()
export class PullMemory {
  private readonly room = new MemoryBudget(ALL_BYTES);
  private readonly reading = new SharedTurn();

  /** An empty reservation for the answer to a call in a project. The signal ends its wait. */
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

  /** True if other calls wait for memory. Then nothing should be read before memory is reserved for it. */
  get isContended(): boolean {
    return this.room.isCrowded;
  }

  /** Reads messages. Large answers are limited to few in a turn of the event loop. */
  read<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.reading.do(read);
  }

  /** Reserves more bytes if they are free now. */
  tryReserve(bytes: number): boolean {
    if (bytes <= SMALL_BYTES && this.releases.length === 0) return true;
    const release = this.room.tryTake(bytes);
    if (release) this.keep(release);
    return release !== undefined;
  }

  /** Reserves more bytes, free or not. Two answers that hold some while they wait could block each other for ever. */
  reserveAnyway(bytes: number): void {
    this.keep(this.room.takeAnyway(bytes));
  }

  /** Reserves bytes when its turn comes. Resolves with `false` if the signal comes first. */
  async reserve(bytes: number): Promise<boolean> {
    const release = await this.room.take(this.projectId, bytes, this.signal).catch(() => undefined);
    if (!release) return false;
    this.keep(release);
    await new TimeSlice(0).next(); // many may have got memory at the same moment
    return true;
  }

  /** Returns all reserved bytes. */
  release(): void {
    for (const release of this.releases.splice(0)) release();
  }

  /** Returns all reserved bytes for good. A pending reservation is returned as soon as it is granted. */
  close(): void {
    this.closed = true;
    this.release();
  }

  private keep(release: () => void): void {
    if (this.closed) release();
    else this.releases.push(release);
  }
}
