import type { Moment } from '#domain/operations/moments.js';
import { CallStorage } from '#infra/platform/scheduling/call-storage.js';
import type { AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadView } from '#projections/shared/read-store.js';
import type { AsOfRefused } from './as-of-refused.js';

/** The documents of a projection as a request sees them, once they are there. @throws AsOfRefused they are not, or not any more */
type Views = (projection: string) => Promise<ReadView>;

/** What a request as of the past is about, known once its header was read. */
export type PointInTime = Readonly<{
  /** The last event that counts; `null` before the first one. */
  moment: Moment | null;
  /** The time of the request: milliseconds since 1970-01-01 UTC. */
  clock: number;
  views: Views;
}>;

/** Somebody with a key of the operations service: no account of the service that is asked. */
export type Auditor = Pick<AccessKeyDocument, 'keyId' | 'name'>;

/** A read of a service as of the past, from its hand-over by the application of now to the end of its answer. */
export class PastCall {
  /** Assigned before anything is read. */
  point: PointInTime | undefined;
  /** Why the header cannot be served. Told to those only whom the service lets in; until then everything is looked up as of now. */
  refusal: AsOfRefused | undefined;
  auditor: Auditor | undefined;
  private readonly known = new Map<string, Promise<ReadView>>();

  /** @param given the point, where it does not stand in a header: the call comes from this process */
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

  /** The point has changed, and with it all documents. */
  moveTo(point: PointInTime): void {
    this.point = point;
    this.known.clear();
  }
}

const calls = new CallStorage<PastCall>();

/** The call that this code runs for. @throws outside of calls: data of the past must never be taken for those of now, or the other way round */
export const currentCall = (): PastCall => {
  const call = calls.current;
  if (!call) throw new Error('this belongs to no request as of the past');
  return call;
};

/** Runs something, and all that follows from it, for a call. */
export const within = <Result>(call: PastCall, run: () => Result): Result => calls.run(call, run);

/** Says that a call begins. @returns how to say that it has ended */
export const beginCall = (): (() => void) => calls.begin();

/** What makes a body while it is sent goes on in the call that began it, whoever asks for the next piece. Outside of calls: the very same. */
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
