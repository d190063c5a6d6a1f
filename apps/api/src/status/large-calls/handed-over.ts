import type { Answer } from '#api/shared/http/answer.js';
import { token } from '#api/shared/tokens.js';
import type { ReadingCall } from '#api/status/parameters.js';
import type { Results } from '#projections/status/results/report-reader.js';

/** For reads that hand large calls over to the thread. Bounded as with `RESULTS`. */
export const LARGE_RESULTS = token<Results>('LargeResults');

/** A call of a read as plain data. A disconnect of the client is sent separately. */
export type SentCall = Readonly<{ read: string; call: Omit<ReadingCall, 'work'>; params: object }>;

/** `isGone`: returns whether the client has disconnected. */
export type LargeCall = Readonly<{ call: SentCall; isGone: () => boolean }>;

/** Thrown by the reader of a large call, which has to be answered elsewhere. Only the amount of data has been read. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver';
  constructor(private readonly elsewhere: (call: LargeCall) => Promise<Answer>) {
    super('the call is answered elsewhere');
  }

  answer(read: string, { work, ...call }: ReadingCall, params: object): Promise<Answer> {
    return this.elsewhere({ call: { read, call, params }, isGone: () => work.isPointless });
  }
}
