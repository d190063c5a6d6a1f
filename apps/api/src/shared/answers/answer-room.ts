import type { FastifyReply } from 'fastify';
import { untilGone } from '#api/shared/http/until-gone.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { SharedTurn } from '#infra/platform/scheduling/shared-turn.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Memory for the answers of this process. */
    answers: AnswerRoom;
  }

  interface FastifyRequest {
    /** Whose share of the common resources is used: the holder of a credential, otherwise an address. Known once the call is admitted. */
    sharedBy: string;
  }
}

const MIB = 1024 * 1024;
/** Maximum bytes of answers that are made or wait for their clients. */
const ALL_BYTES = 128 * MIB;
/** Share of one caller; its only answer is exempt. */
const SHARE_BYTES = 32 * MIB;
/** Smaller answers are not counted: even one for each possible connection does no harm. */
const SMALL_BYTES = 16 * 1024;
/** Reserved before a read of unknown size: a part of 2 MiB, and the largest message that may end it. */
export const LARGEST_READ = 18 * MIB;
/** Reads of unknown size at a time. */
const READS = 5;

/**
 * Memory for answers of all callers, from the read of their contents until they are sent. If none is free, they wait; callers take turns,
 * and each has a share.
 */
export class AnswerRoom {
  private readonly room: MemoryBudget;
  private readonly reads = new MemoryBudget(READS * LARGEST_READ);
  private readonly turn = new SharedTurn();

  constructor(bytes = ALL_BYTES, share = SHARE_BYTES) {
    this.room = new MemoryBudget(bytes, share);
  }

  /** Bytes in use. */
  get taken(): number {
    return this.room.taken;
  }

  /** An empty reservation for an answer to a caller. The signal ends its waits. */
  open(caller: string, signal: AbortSignal): AnswerReservation {
    return new AnswerReservation({ room: this.room, reads: this.reads, turn: this.turn }, caller, signal);
  }

  /** The same until the answer is sent or the client has gone. */
  openFor(reply: FastifyReply, signal = untilGone(reply)): AnswerReservation {
    const reservation = this.open(reply.request.sharedBy, signal);
    if (signal.aborted) reservation.close();
    else reply.raw.once('close', () => reservation.close());
    return reservation;
  }
}

type Budgets = Readonly<{ room: MemoryBudget; reads: MemoryBudget; turn: SharedTurn }>;

/** The memory that one answer holds. */
export class AnswerReservation {
  private held = 0;
  private give: (() => void) | undefined;
  private closed = false;

  constructor(
    private readonly budgets: Budgets,
    private readonly caller: string,
    private readonly signal: AbortSignal,
  ) {}

  /** True if other answers wait for this memory. Then nothing should be read before memory is reserved for it. */
  get isContended(): boolean {
    return this.budgets.room.isCrowded(this.caller);
  }

  /**
   * Reads something of unknown size, up to {@link LARGEST_READ}, which is reserved meanwhile. Large reads are limited to few in a turn of the
   * event loop. Resolves with `undefined` if the client has gone.
   */
  async read<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    const { reads, turn } = this.budgets;
    const give = reads.tryTake(this.caller, LARGEST_READ) ?? (await reads.take(this.caller, LARGEST_READ));
    try {
      return this.signal.aborted ? undefined : await turn.do(read);
    } finally {
      give();
    }
  }

  /** Reserves this number of bytes instead of what is reserved, if they are free now. Fewer always are. */
  tryHold(bytes: number): boolean {
    if (bytes <= SMALL_BYTES) {
      this.release();
      return true;
    }
    if (bytes > this.held) return this.tryAdd(bytes - this.held);
    this.hold(bytes);
    return true;
  }

  /** Reserves more bytes if they are free now. */
  tryAdd(bytes: number): boolean {
    if (bytes <= SMALL_BYTES && this.held === 0) return true;
    const give = this.budgets.room.tryTake(this.caller, bytes);
    if (!give) return false;
    this.hold(this.held + bytes);
    give();
    return true;
  }

  /** Reserves more bytes, free or not. Two answers that hold some while they wait could block each other for ever. */
  add(bytes: number): void {
    this.hold(this.held + bytes);
  }

  /** Reserves this number of bytes instead of what is reserved, free or not. */
  hold(bytes: number): void {
    const give = this.give;
    this.held = bytes;
    this.give = this.closed || bytes === 0 ? undefined : this.budgets.room.takeAnyway(this.caller, bytes);
    give?.();
  }

  /** Reserves bytes when its turn comes, after those held are returned. Resolves with `false` if the signal comes first. */
  async reserve(bytes: number): Promise<boolean> {
    this.release();
    const give = await this.budgets.room.take(this.caller, bytes, this.signal).catch(() => undefined);
    if (!give) return false;
    this.hold(bytes);
    give();
    await new TimeSlice(0).next(); // many may have got memory at the same moment
    return true;
  }

  /** Returns all reserved bytes. */
  release(): void {
    this.hold(0);
  }

  /** Returns all reserved bytes for good. A pending reservation is returned as soon as it is granted. */
  close(): void {
    this.closed = true;
    this.release();
  }
}
