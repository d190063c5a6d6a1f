import { randomUUID } from 'node:crypto';
import type { AppendResult } from '#domain/shared/event-store.js';
import { CallRefused, isDenied, NoAnswer, NotConnected } from '#infra/stores/event-store/eventstoredb/errors.js';
import type { CallListener, GrpcCall } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import { CONNECT_TIMEOUT_MS } from '#infra/stores/event-store/eventstoredb/limits.js';
import { appendAnswer } from '#infra/stores/event-store/eventstoredb/messages/append-answers.js';
import type { EncodedEvent, ExactExpectation } from '#infra/stores/event-store/eventstoredb/messages/requests.js';
import { appendRequest } from '#infra/stores/event-store/eventstoredb/messages/requests.js';

/** Opens the call that carries appends. @throws NotConnected no connection within `connectMs` */
type Batches = Readonly<{ batchAppend(connectMs: number, listener: CallListener): Promise<GrpcCall> }>;

/** `serial`: number of the call that carries the append. */
type Pending = Readonly<{ serial: number; resolve: (result: AppendResult) => void; reject: (error: unknown) => void }>;

/** The appends of one client. One long call carries all of them, and answers arrive out of order. */
export class BatchAppends {
  private readonly pending = new Map<string, Pending>();
  private opening: Promise<GrpcCall> | undefined;
  private serial = 0;

  constructor(private readonly client: Batches) {}

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
