import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { answerFrom } from './answer-port.js';
import type { LargeCall, SentCall } from './handed-over.js';
import { LOOK_MS, turnOfCall } from './turn-of-call.js';

/** Request to the thread of results: answer a call on a port. */
export type LargeRequest = Readonly<{ port: MessagePort; call: SentCall }>;

/** The thread of results. */
type ResultsThread = Readonly<{
  /** Starts it if it was never started, and makes what was written visible to it. @throws ReadStoreUnavailable */
  ready(): Promise<void>;
  /** @throws Error it is not running */
  ask(request: LargeRequest, transfer: readonly MessagePort[]): Promise<void>;
}>;

/** For all tenants together, in time slices. The thread holds the rows of each until its answer was read; a tenant has one at a time (`BoundedResults`). */
const AT_A_TIME = 2;
const EVERYBODY = 'all';

/** Has large calls answered by the thread of results. */
export class LargeCalls {
  private readonly places = new Turnstile(AT_A_TIME);

  constructor(private readonly thread: ResultsThread) {}

  /**
   * Answers a call in the thread. `done` is called once, when the answer was received or is abandoned.
   * @param longestMs limit of the wait for a place, of the computation, and of the client's time for each piece of a long answer
   * @throws StatusError as the read; 503 if the thread is gone or the time is over
   * @throws ReadStoreUnavailable the data for the thread cannot be written
   */
  async answer({ call, isGone }: LargeCall, longestMs: number, done: () => void): Promise<Answer> {
    const leave = await turnOfCall(this.places, EVERYBODY, { isGone, longestMs }).catch((error: unknown) => {
      done();
      throw error;
    });
    const end = (): void => {
      leave();
      done();
    };
    try {
      const port = await this.sent(call, isGone, end);
      const look = setInterval(() => isGone() && port.close(), LOOK_MS);
      return await answerFrom(port, longestMs, end).finally(() => clearInterval(look));
    } catch (error) {
      throw isGone() ? errors.nobodyWaits() : error;
    }
  }

  /** Port of the call in the thread. `end` is called if the call cannot be sent. */
  private async sent(call: SentCall, isGone: () => boolean, end: () => void): Promise<MessagePort> {
    try {
      await this.thread.ready();
      if (isGone()) throw errors.nobodyWaits();
    } catch (error) {
      end();
      throw error;
    }
    const { port1, port2 } = new MessageChannel();
    this.thread.ask({ port: port2, call }, [port2]).catch(() => port1.close());
    return port1;
  }
}
