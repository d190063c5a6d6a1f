import { randomUUID } from 'node:crypto';
import { AccessDeniedError } from '@eventstore/db-client';
import grpcUuid from '@eventstore/db-client/dist/utils/grpcUUID.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { AppendResult } from '#domain/shared/event-store.js';
import type { LogClient } from './connection.js';
import { asCommandError, Conflict, NoAnswer, NotConnected, NotReady, Refused } from './errors.js';
import type { EncodedEvent, ExactExpectation } from './requests.js';
import { appendRequest } from './requests.js';

type Call = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
type Pending = Readonly<{ call: Call; resolve: (result: AppendResult) => void; reject: (error: unknown) => void }>;

/** Longest time for connecting. Nothing has been sent by then. */
const CONNECT_TIMEOUT_MS = 2_000;

/** The appends of one client. One long call carries all of them, and answers them out of order. */
export class BatchAppends {
  private readonly pending = new Map<string, Pending>();
  private call: Promise<Call> | undefined;
  private live: Call | undefined;

  constructor(
    readonly client: LogClient,
    readonly answerMs: number,
  ) {}

  /**
   * Sends an append once.
   * @throws Conflict, Refused, NotReady nothing was written
   * @throws NoAnswer no answer within `answerMs`: the call is probably dead, replace the client
   * @throws Error anything else: the outcome is unknown
   */
  async append(stream: string, events: readonly EncodedEvent[], expected: ExactExpectation): Promise<AppendResult> {
    this.call ??= this.open();
    const call = await this.call;
    const correlation = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new NoAnswer('an append was not answered in time'))), this.answerMs);
      const settle = (how: () => void) => {
        clearTimeout(timer);
        this.pending.delete(correlation);
        how();
      };
      this.pending.set(correlation, {
        call,
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      });
      call.write(appendRequest(correlation, stream, events, expected));
    });
  }

  private async open(): Promise<Call> {
    try {
      const call = await this.client.batchAppend(Math.min(CONNECT_TIMEOUT_MS, this.answerMs));
      this.live = call;
      call.on('data', (answer) => this.answered(answer));
      call.on('error', (error) => this.ended(call, error));
      call.on('end', () => this.ended(call, new Error('the server ended the call')));
      return call;
    } catch (error) {
      this.call = undefined;
      throw error instanceof NotConnected ? error : new NotConnected('no connection', { cause: error });
    }
  }

  /** A second answer to the same append has no pending promise, and is dropped. */
  private answered(answer: BatchAppendResp): void {
    const pending = this.pending.get(grpcUuid.parseUUID(answer.getCorrelationId()) ?? '');
    if (!pending) return;
    const success = answer.getSuccess();
    const error = answer.getError();
    if (success) {
      pending.resolve({
        revision: BigInt(success.getCurrentRevision()),
        position: BigInt(success.getPosition()?.getCommitPosition() ?? 0),
      });
    } else pending.reject(error ? refusal(error) : new Error('an answer without a result'));
  }

  private ended(call: Call, reason: unknown): void {
    // Both `error` and `end` may arrive for one call. By the second, its successor may be in use.
    if (this.live === call) this.call = undefined;
    const error = asCommandError(reason);
    const failure = error instanceof AccessDeniedError ? new Refused('the server refused the credentials', { cause: error }) : error;
    for (const pending of [...this.pending.values()]) if (pending.call === call) pending.reject(failure);
  }
}

/** Decides by the type of the details: code and text of an answer are not specific enough. */
const refusal = (status: Status): Error => {
  const details = status.getDetails();
  const type = details?.getTypeName();
  switch (type) {
    case 'event_store.client.WrongExpectedVersion': {
      const conflict = details?.unpack(shared.WrongExpectedVersion.deserializeBinary, type);
      return new Conflict(conflict?.hasCurrentStreamRevision() ? BigInt(conflict.getCurrentStreamRevision()) : 'no-stream');
    }
    case 'event_store.client.StreamDeleted':
    case 'event_store.client.MaximumAppendSizeExceeded':
    case 'event_store.client.AccessDenied':
    case 'event_store.client.BadRequest':
      return new Refused(`the server refused an append: ${type}`);
    case 'google.protobuf.Empty':
      return new NotReady('the server is not ready');
    default:
      return new Error(`an append was answered with ${type ?? 'no details'}`);
  }
};
