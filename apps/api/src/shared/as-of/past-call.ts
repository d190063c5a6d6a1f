import type { LogMoment } from '#domain/operations/moments.js';
import { CallStorage } from '#infra/platform/scheduling/call-storage.js';
import type { AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadView } from '#projections/shared/read-store.js';
import type { AsOfRefused } from './as-of-refused.js';

/** The documents of a projection as a request sees them. @throws AsOfRefused they do not exist yet, or not any more */
type Views = (projection: string) => Promise<ReadView>;

/** The point of a request as of the past, known after its header was read. */
export type PointInTime = Readonly<{
  /** The last included event; `null` before the first one. */
  moment: LogMoment | null;
  /** Clock of the request: milliseconds since 1970-01-01 UTC. */
  clock: number;
  views: Views;
}>;

/** Holder of a key of the operations service, without an account in the requested service. */
export type Auditor = Pick<AccessKeyDocument, 'keyId' | 'name'>;

/** A read of a service as of the past, from its hand-over by the present application to the end of its answer. */
export class PastCall {
  /** Assigned before anything is read. */
  point: PointInTime | undefined;
  /** Reason why the header cannot be served. Only callers whom the service admits see it; until then all lookups use the present. */
  refusal: AsOfRefused | undefined;
  auditor: Auditor | undefined;
  private readonly known = new Map<string, Promise<ReadView>>();

  /** @param given the point, for calls from this process, which have no header */
  constructor(
    readonly requestId: string,
    readonly given?: PointInTime,
  ) {}

  view(projection: string): Promise<ReadView> {
    let view = this.known.get(projection);
    if (!view) {
      if (!this.point) throw new Error('a request as of the past reads before its moment is known');
      view = this.point.views(projection);
      this.known.set(projection, view);
    }
    return view;
  }

  /** Changes the point, and with it all documents. */
  moveTo(point: PointInTime): void {
    this.point = point;
    this.known.clear();
  }
}

const calls = new CallStorage<PastCall>();

/** The call that this code runs for. @throws outside of calls: data of the past and of the present must never be confused */
export const currentCall = (): PastCall => {
  const call = calls.current;
  if (!call) throw new Error('this belongs to no request as of the past');
  return call;
};

/** Runs a function and everything that follows from it for a call. */
export const within = <Result>(call: PastCall, run: () => Result): Result => calls.run(call, run);

/** Counts a call. @returns to be called at its end */
export const beginCall = (): (() => void) => calls.begin();

/** Continues the making of a body in its call, whichever code requests the next piece. Outside of calls: returns the same pieces. */
export const inItsCall = <Piece>(pieces: AsyncGenerator<Piece>): AsyncIterable<Piece> => {
  const call = calls.current;
  if (!call) return pieces;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => calls.run(call, () => pieces.next()),
      return: (value: unknown) => calls.run(call, () => pieces.return(value)),
    }),
  };
};
