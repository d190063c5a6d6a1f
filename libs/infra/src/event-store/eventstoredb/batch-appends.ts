import { randomUUID } from 'node:crypto';
import type { AppendResult } from '#domain/shared/event-store.js';
import type { LogClient } from './connection.js';
import { isDenied, NoAnswer, NotConnected, Refused } from './errors.js';
import type { GrpcCall } from './grpc/call.js';
import { appendAnswer } from './messages/append-answers.js';
import type { EncodedEvent, ExactExpectation } from './messages/requests.js';
import { appendRequest } from './messages/requests.js';

/** `serial`: of the call that carries the append. */
type Pending = Readonly<{ serial: number; resolve: (result: AppendResult) => void; reject: (error: unknown) => void }>;

/** Longest time for connecting. Nothing has been sent by then. */
const CONNECT_TIMEOUT_MS = 2_000;

/** The appends of one client. One long call carries all of them, and answers them out of order. */
export class BatchAppends {
  private readonly pending = new Map<string, Pending>();
  private opening: Promise<GrpcCall> | undefined;
  private serial = 0;

  constructor(readonly client: LogClient) {}

  /**
   * Sends an append once.
   * @throws Conflict, Refused, NotReady nothing was written
   * @throws NoAnswer no answer within `answerMs`: the call is probably dead, replace the client
   * @throws Error anything else: the outcome is unknown
   */
  async append(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation, answerMs: number): Promise<AppendResult> {
    const call = await this.connect(answerMs);
    const { serial } = this;
    const correlation = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new NoAnswer('an append was not answered in time'))), answerMs);
      const settle = (how: () => void) => {
        clearTimeout(timer);
        this.pending.delete(correlation);
        how();
      };
      this.pending.set(correlation, {
        serial,
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      });
      call.send(appendRequest(correlation, stream, events, expected));
    });
  }

  /** @throws NotConnected */
  private async connect(ms: number): Promise<GrpcCall> {
    this.opening ??= this.open(ms);
    const call = await this.opening;
    if (call.isOver) throw new NotConnected('the call has just ended');
    return call;
  }

  private async open(ms: number): Promise<GrpcCall> {
    const serial = ++this.serial;
    try {
      return await this.client.batchAppend(Math.min(CONNECT_TIMEOUT_MS, ms), {
        message: (message) => this.answered(message),
        ended: (error) => this.ended(serial, error ?? new Error('the server ended the call')),
      });
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  /** A second answer to the same append has no pending promise, and is dropped. */
  private answered(message: Buffer): void {
    const { correlation, result, failure } = appendAnswer(message);
    const pending = this.pending.get(correlation);
    if (!pending) return;
    if (result) pending.resolve(result);
    else pending.reject(failure ?? new Error('an answer without a result'));
  }

  private ended(serial: number, reason: unknown): void {
    if (this.serial === serial) this.opening = undefined;
    const failure = isDenied(reason) ? new Refused('the server refused the credentials', { cause: reason }) : reason;
    for (const pending of [...this.pending.values()]) if (pending.serial === serial) pending.reject(failure);
  }
}
