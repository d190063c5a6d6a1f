/** Up to here a body is small, in bytes. */
const SMALL = 64 * 1024;
/** The part of the budget that is for small bodies. */
const FOR_SMALL = 1 / 8;
/** The part that one caller may hold of what there is for bodies of a size. */
const SHARE = 1 / 4;

/** What one body holds of the budget. */
export interface Reservation {
  /** Takes more. `false`: there is no more; what it holds stays. */
  grow(bytes: number): boolean;
  /** Gives everything back, and takes no more. More than once is the same as once. */
  release(): void;
}

/** Bytes for bodies of one size. */
class Pool {
  private held = 0;
  private readonly byCaller = new Map<string, number>();

  constructor(private readonly total: number) {}

  /** Takes `more` for a body that holds `own`. A body that is alone, of its caller or of all, is not measured against what there is. */
  take(caller: string, own: number, more: number): boolean {
    const ofCaller = this.byCaller.get(caller) ?? 0;
    if (this.held + more > this.total && this.held > own) return false;
    if (ofCaller + more > this.total * SHARE && ofCaller > own) return false;
    this.add(caller, more);
    return true;
  }

  add(caller: string, bytes: number): void {
    this.held += bytes;
    const ofCaller = (this.byCaller.get(caller) ?? 0) + bytes;
    if (ofCaller > 0) this.byCaller.set(caller, ofCaller);
    else this.byCaller.delete(caller);
  }

  get inUse(): number {
    return this.held;
  }
}

/**
 * The bytes of request bodies that the process holds, from their admission until their handlers are done. Nobody can hold all of it: a caller has
 * a quarter, and an eighth is for small bodies, which large ones never crowd out. Every body within the limits of its route is taken when it is
 * the only one.
 */
export class BodyBudget {
  private readonly small: Pool;
  private readonly large: Pool;

  /** `total`: bytes. */
  constructor(total: number) {
    this.small = new Pool(total * FOR_SMALL);
    this.large = new Pool(total * (1 - FOR_SMALL));
  }

  /** Bytes that bodies hold now. */
  get inUse(): number {
    return this.small.inUse + this.large.inUse;
  }

  /** Takes `bytes` for a body of this caller; nothing when there is no room for it. */
  reserve(caller: string, bytes: number): Reservation | undefined {
    let own = 0;
    let pool = this.small;
    let released = false;
    const grow = (more: number): boolean => {
      if (released) return false;
      const outgrown = pool === this.small && own + more > SMALL;
      if (!(outgrown ? this.large.take(caller, 0, own + more) : pool.take(caller, own, more))) return false;
      if (outgrown) {
        this.small.add(caller, -own);
        pool = this.large;
      }
      own += more;
      return true;
    };
    const release = (): void => {
      pool.add(caller, -own);
      own = 0;
      released = true;
    };
    return grow(bytes) ? { grow, release } : undefined;
  }
}
