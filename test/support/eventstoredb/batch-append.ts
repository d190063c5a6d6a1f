import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { frame, type Handler, type RpcCall, type Serializable } from './grpc.js';
import type { AppendOutcome, Expectation } from './log.js';
import { MAX_APPEND_BYTES, type ServerNode } from './node.js';
import type { ProposedEvent } from './stored-event.js';
import { expectation, MalformedRequest, placedAt, proposedEvent, streamIdentifier, streamName, structuredUuid, uuidText } from './wire.js';

/** The server's write timeout: no batch may stay unfinished for longer. */
const MAX_PENDING_MS = 2000;

type Pending = {
  readonly stream: string;
  readonly expected: Expectation;
  readonly events: ProposedEvent[];
  readonly timer: NodeJS.Timeout;
  bytes: number;
};

/** The rpc `BatchAppend`: many appends on one call, matched by correlation id. */
export const batchAppendHandler =
  (node: ServerNode): Handler =>
  (call) => {
    node.checkUser(call.headers);
    return new BatchCall(node, call);
  };

class BatchCall {
  private readonly pending = new Map<string, Pending>();
  /** Appends written and not answered yet. */
  private unanswered = 0;
  private isHalfClosed = false;

  constructor(
    private readonly node: ServerNode,
    private readonly call: RpcCall,
  ) {}

  message(bytes: Uint8Array): void {
    this.node.checkLeader(this.call.headers);
    const request = streams.BatchAppendReq.deserializeBinary(bytes);
    const reply = new Reply(this.call, request.getCorrelationId(), request.getOptions()?.getStreamIdentifier());
    try {
      this.chunk(request, reply);
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      const details = new shared.BadRequest();
      details.setMessage(error.message);
      reply.error(3, 'BadRequest', details);
    }
  }

  halfClosed(): void {
    // With nothing pending the real server never ends the call, and neither do we.
    this.isHalfClosed = this.pending.size > 0 || this.unanswered > 0;
  }

  closed(): void {
    for (const { timer } of this.pending.values()) clearTimeout(timer);
    this.pending.clear();
  }

  private chunk(request: streams.BatchAppendReq, reply: Reply): void {
    const id = uuidText(request.getCorrelationId());
    const pending = this.pending.get(id) ?? this.start(id, request.getOptions(), reply);
    if (!pending) return;
    for (const message of request.getProposedMessagesList()) {
      const event = proposedEvent(message);
      pending.events.push(event);
      pending.bytes += event.data.length;
      if (pending.bytes > MAX_APPEND_BYTES) {
        this.refuseSize(id, pending, reply);
        return;
      }
    }
    if (!request.getIsFinal()) return;
    this.forget(id, pending);
    this.append(pending, reply.for(pending.stream));
  }

  /** Nothing when the batch was refused at once, or the chunk belongs to none. */
  private start(id: string, options: streams.BatchAppendReq.Options | undefined, reply: Reply): Pending | undefined {
    if (!options) return undefined;
    const stream = streamName(options.getStreamIdentifier());
    const expected = expectation(options, options.hasStreamPosition() ? options.getStreamPosition() : undefined);
    if (expected === undefined) {
      throw new MalformedRequest(
        "'None' is not a valid EventStore.Client.Streams.BatchAppendReq+Types+Options+ExpectedStreamPositionOneofCase",
      );
    }
    if (this.node.faults.notReady) return reply.error(0, 'Server Is Not Ready', new emptyPb.Empty(), 'google.protobuf.Empty');
    if (!this.node.allows(this.call.headers, stream)) return reply.error(7, 'AccessDenied', new shared.AccessDenied());
    const deadline = options.getDeadline();
    const left = deadline ? deadline.getSeconds() * 1000 + deadline.getNanos() / 1e6 - Date.now() : MAX_PENDING_MS;
    if (left <= 0) return reply.error(4, 'Timeout', new shared.Timeout());
    const timer = setTimeout(() => this.timeOut(id, pending, reply), Math.min(left, MAX_PENDING_MS));
    const pending: Pending = { stream, expected, events: [], timer, bytes: 0 };
    this.pending.set(id, pending);
    return pending;
  }

  private append({ stream, events, expected }: Pending, reply: Reply): void {
    const outcome = this.node.log.append(stream, events, expected);
    if (outcome.kind === 'conflict') {
      reply.error(6, 'WrongExpectedVersion', conflict(outcome.actual, expected));
      return;
    }
    if (outcome.kind === 'deleted') {
      const details = new shared.StreamDeleted();
      details.setStreamIdentifier(streamIdentifier(stream));
      reply.error(5, 'StreamDeleted', details);
      return;
    }
    this.unanswered++;
    this.node.afterCommit(this.call, () => {
      this.unanswered--;
      reply.success(outcome);
      this.endIfDone();
    });
  }

  private refuseSize(id: string, pending: Pending, reply: Reply): void {
    this.forget(id, pending);
    const details = new shared.MaximumAppendSizeExceeded();
    details.setMaxappendsize(MAX_APPEND_BYTES);
    reply.for(pending.stream).error(3, 'MaximumAppendSizeExceeded', details);
  }

  /** The answer of the timer names the batch in the other form of ids, whatever form was sent. */
  private timeOut(id: string, pending: Pending, reply: Reply): void {
    this.forget(id, pending);
    reply.withId(structuredUuid(id)).error(4, 'Timeout', new shared.Timeout());
    this.endIfDone();
  }

  private forget(id: string, { timer }: Pending): void {
    clearTimeout(timer);
    this.pending.delete(id);
  }

  private endIfDone(): void {
    if (this.isHalfClosed && this.pending.size === 0 && this.unanswered === 0) this.call.end();
  }
}

/** Answers to one batch. */
class Reply {
  constructor(
    private readonly call: RpcCall,
    private readonly id: shared.UUID | undefined,
    private readonly stream: shared.StreamIdentifier | undefined,
  ) {}

  for(stream: string): Reply {
    return new Reply(this.call, this.id, streamIdentifier(stream));
  }

  withId(id: shared.UUID): Reply {
    return new Reply(this.call, id, this.stream);
  }

  success({ revision, position }: Extract<AppendOutcome, { kind: 'written' }>): void {
    const success = new streams.BatchAppendResp.Success();
    if (revision === undefined) success.setNoStream(new emptyPb.Empty());
    else success.setCurrentRevision(revision.toString());
    success.setPosition(placedAt(new shared.AllStreamPosition(), position));
    const response = this.response();
    response.setSuccess(success);
    this.call.write(frame(response));
  }

  error(code: StatusCode, message: string, details: Serializable, type = `event_store.client.${message}`): undefined {
    const any = new anyPb.Any();
    any.pack(details.serializeBinary(), type);
    const status = new statuses.Status();
    status.setCode(code);
    status.setMessage(message);
    status.setDetails(any);
    const response = this.response();
    response.setError(status);
    this.call.write(frame(response));
  }

  private response(): streams.BatchAppendResp {
    const response = new streams.BatchAppendResp();
    response.setCorrelationId(this.id);
    response.setStreamIdentifier(this.stream);
    return response;
  }
}

type StatusCode = statuses.Status.AsObject['code'];

const conflict = (actual: bigint | undefined, expected: Expectation): shared.WrongExpectedVersion => {
  const details = new shared.WrongExpectedVersion();
  if (actual === undefined) details.setCurrentNoStream(new emptyPb.Empty());
  else details.setCurrentStreamRevision(actual.toString());
  if (typeof expected === 'bigint') details.setExpectedStreamPosition(expected.toString());
  else if (expected === 'stream-exists') details.setExpectedStreamExists(new emptyPb.Empty());
  else details.setExpectedNoStream(new emptyPb.Empty());
  return details;
};
