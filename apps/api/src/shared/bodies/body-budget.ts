/** Maximum bytes of a small body. */
const SMALL = 64 * 1024;
/** Share of the budget that is reserved for small bodies. */
const FOR_SMALL = 1 / 8;
/** Share of a pool that one caller may hold. */
const SHARE = 1 / 4;

/** The caller for all requests without a credential: addresses cost nothing, and together they must not take everything. */
export const ANYBODY = 'anybody';

/** The part of the budget that one body holds. */
export interface Reservation {
  /** Reserves more bytes. Returns `false` if there are not enough; the bytes held so far stay. */
  grow(bytes: number): boolean;
  /** Returns all bytes and ends the reservation. Idempotent. */
  release(): void;
}

/** The budget of small or of large bodies. */
class Pool {
  private held = 0;
  private readonly byCaller = new Map<string, number>();

  constructor(private readonly total: number) {}

  /** Reserves `more` for a body that holds `own`. The limits do not apply to the only body of its caller or of all. */
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
 * Limits the bytes of request bodies in the process, from admission to the end of the handler. A caller may hold a quarter; an eighth is
 * reserved for small bodies, so that large ones never block them. A body within the limits of its route is always accepted if it is the
 * only one.
 */
export class BodyBudget {
  private readonly small: Pool;
  private readonly large: Pool;

  /** `total`: bytes. */
  constructor(total: number) {
    this.small = new Pool(total * FOR_SMALL);
    this.large = new Pool(total * (1 - FOR_SMALL));
  }

  get inUse(): number {
    return this.small.inUse + this.large.inUse;
  }

  /** Reserves bytes for a body of a caller; `undefined` if there are not enough. */
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
