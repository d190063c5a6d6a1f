import type { Socket } from 'node:net';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { SharedTurn } from '#infra/platform/scheduling/shared-turn.js';

const MIB = 1024 * 1024;
/** Maximum bytes in a process, and those of one caller, whose only answer is exempt. */
type Size = Readonly<{ all: number; share: number }>;
/** For messages. */
const CONTENTS: Size = { all: 96 * MIB, share: 32 * MIB };
/** For reads, and bodies that are ready or made while they are sent. */
const BODIES: Size = { all: 256 * MIB, share: 32 * MIB };
/** Reserved before a read begins: the page that the pieces of its body come from. */
export const PAGE_BYTES = MIB;
/** Connections below which every read begins at once: a page for each does no harm, and reads of a few microseconds are not slowed. */
const FEW_CONNECTIONS = 128;
/** Smaller answers are not counted: even one for each possible connection does no harm. */
const SMALL_BYTES = 16 * 1024;
/** Reserved before a read of unknown size: a part of 2 MiB, and the largest message that may end it. */
export const LARGEST_READ = 18 * MIB;
/** Reads of unknown size at a time. */
const READS = 5;

/** Memory for contents of all callers, from their read on. If none is free, callers wait; they take turns, and each has a share. */
export class ContentRoom {
  private readonly contents: MemoryBudget;
  private readonly reads = new MemoryBudget(READS * LARGEST_READ);
  private readonly turn = new SharedTurn();

  constructor({ all, share }: Size) {
    this.contents = new MemoryBudget(all, share);
  }

  /** Bytes in use. */
  get taken(): number {
    return this.contents.taken;
  }

  /** An empty reservation for messages, for a caller. The signal ends its waits. */
  open(caller: string, signal: AbortSignal): AnswerReservation {
    return this.reservation(this.contents, caller, () => signal);
  }

  protected reservation(room: MemoryBudget, caller: string, gone: () => AbortSignal): AnswerReservation {
    return new AnswerReservation({ room, reads: this.reads, turn: this.turn }, caller, gone);
  }
}

/** The same for answers, until they are sent, and for their bodies. */
export class AnswerRoom extends ContentRoom {
  private readonly bodies: MemoryBudget;
  private connections = 0;

  constructor(
    contents = CONTENTS,
    bodies = BODIES,
    private readonly few = FEW_CONNECTIONS,
  ) {
    super(contents);
    this.bodies = new MemoryBudget(bodies.all, bodies.share);
  }

  /** Counts a connection of a client until it ends. */
  connected(connection: Socket): void {
    this.connections++;
    connection.once('close', () => {
      this.connections--;
    });
  }

  /** Whether reads need memory of their own before they begin. */
  get isBusy(): boolean {
    return this.connections >= this.few;
  }

  override get taken(): number {
    return super.taken + this.bodies.taken;
  }

  /** An empty reservation for a body. `gone`: called for each wait. */
  openBody(caller: string, gone: () => AbortSignal): AnswerReservation {
    return this.reservation(this.bodies, caller, gone);
  }
}

type Budgets = Readonly<{ room: MemoryBudget; reads: MemoryBudget; turn: SharedTurn }>;

/** The memory that one answer holds. */
export class AnswerReservation {
  private held = 0;
  private closed = false;

  constructor(
    private readonly budgets: Budgets,
    private readonly caller: string,
    /** Called for each wait. */
    private readonly gone: () => AbortSignal,
  ) {}

  /** True if some bytes are reserved. */
  get isHeld(): boolean {
    return this.held > 0;
  }

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
      return this.gone().aborted ? undefined : await turn.do(read);
    } finally {
      give();
    }
  }

  /** Reserves this number of bytes instead of what is reserved, if they are free now. Fewer always are. */
  tryHold(bytes: number): boolean {
    if (bytes > this.held && bytes > SMALL_BYTES) return this.tryAdd(bytes - this.held);
    this.hold(bytes > SMALL_BYTES ? bytes : 0);
    return true;
  }

  /** Reserves more bytes if they are free now. */
  tryAdd(bytes: number): boolean {
    if (this.closed || (bytes <= SMALL_BYTES && this.held === 0)) return true;
    if (!this.budgets.room.tryAdd(this.caller, bytes)) return false;
    this.held += bytes;
    return true;
  }

  /** Reserves more bytes, free or not. Two answers that hold some while they wait could block each other for ever. */
  add(bytes: number): void {
    this.hold(this.held + bytes);
  }

  /** Reserves this number of bytes instead of what is reserved, free or not. */
  hold(bytes: number): void {
    if (this.closed || bytes === this.held) return;
    this.budgets.room.add(this.caller, bytes - this.held);
    this.held = bytes;
  }

  /** Reserves bytes when its turn comes, after those held are returned. Resolves with `false` if the signal comes first. */
  async reserve(bytes: number): Promise<boolean> {
    this.release();
    const give = await this.budgets.room.take(this.caller, bytes, this.gone()).catch(() => undefined);
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
    this.release();
    this.closed = true;
  }
}
