import { randomUUID } from 'node:crypto';
import type { AppendResult } from '#domain/shared/event-store.js';
import { CallRefused, isDenied, NoAnswer, NotConnected } from '../errors.js';
import type { CallListener, GrpcCall } from '../grpc/call.js';
import { CONNECT_TIMEOUT_MS } from '../limits.js';
import { appendAnswer } from '../messages/append-answers.js';
import { appendRequest, type EncodedEvent, type SentExpectation } from '../messages/requests.js';

export const BATCH_APPEND = '/event_store.client.streams.Streams/BatchAppend';

/** `send` takes framed messages. */
export type BatchCall = Pick<GrpcCall, 'isOver' | 'send'>;

/** Opens the call that carries appends. @throws NotConnected no connection within `connectMs` */
type Batches = Readonly<{ batchAppend(connectMs: number, listener: CallListener): Promise<BatchCall> }>;

/** `serial`: number of the call that carries the append. */
type Pending = Readonly<{ serial: number; resolve: (result: AppendResult) => void; reject: (error: unknown) => void }>;

/** The appends of one client. One long call carries all of them, and answers arrive out of order. */
export class BatchAppends {
  private readonly pending = new Map<string, Pending>();
  private opening: Promise<BatchCall> | undefined;
  private serial = 0;

  constructor(private readonly client: Batches) {}

  async append(stream: string, events: readonly EncodedEvent[], expected: SentExpectation, answerMs: number): Promise<AppendResult> {
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
  private async connect(ms: number): Promise<BatchCall> {
    this.opening ??= this.open(ms);
    const call = await this.opening;
    if (call.isOver) throw new NotConnected('the call has just ended');
    return call;
  }

  private async open(ms: number): Promise<BatchCall> {
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

  /** A second answer to the same append finds no pending promise and is dropped. */
  private answered(message: Buffer): void {
    const { correlation, result, failure } = appendAnswer(message);
    const pending = this.pending.get(correlation);
    if (!pending) return;
    if (result) pending.resolve(result);
    else pending.reject(failure ?? new Error('an answer without a result'));
  }

  private ended(serial: number, reason: unknown): void {
    if (this.serial === serial) this.opening = undefined;
    const failure = isDenied(reason) ? new CallRefused('the server refused the credentials', { cause: reason }) : reason;
    for (const pending of [...this.pending.values()]) if (pending.serial === serial) pending.reject(failure);
  }
}
