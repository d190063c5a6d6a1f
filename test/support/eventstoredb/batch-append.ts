import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { frame, type Handler, type RpcCall, type Serializable } from './grpc.js';
import type { AppendOutcome, Expectation } from './log.js';
import { MAX_APPEND_BYTES, type ServerNode } from './node.js';
import { MalformedRequest, placedAt, proposedEvent, streamName, uuidText } from './wire.js';

/** The rpc `BatchAppend`: many appends on one call, matched by correlation id. Each is one message: clients split only those beyond 3 MiB. */
export const batchAppendHandler =
  (node: ServerNode): Handler =>
  (call) => {
    node.checkUser(call.headers);
    return {
      message(bytes) {
        node.checkLeader(call.headers);
        const request = streams.BatchAppendReq.deserializeBinary(bytes);
        const reply = new Reply(call, request);
        try {
          append(node, call, request, reply);
        } catch (error) {
          if (!(error instanceof MalformedRequest)) throw error;
          const details = new shared.BadRequest();
          details.setMessage(error.message);
          reply.error(3, 'BadRequest', details);
        }
      },
    };
  };

/** @throws MalformedRequest */
const append = (node: ServerNode, call: RpcCall, request: streams.BatchAppendReq, reply: Reply): void => {
  uuidText(request.getCorrelationId());
  const options = request.getOptions();
  if (!options || !request.getIsFinal()) throw new Error('an append of several messages');
  const stream = streamName(options.getStreamIdentifier());
  const expected = expectation(options);
  const events = request.getProposedMessagesList().map(proposedEvent);
  if (node.faults.notReady) reply.error(0, 'Server Is Not Ready', new emptyPb.Empty(), 'google.protobuf.Empty');
  else if (!node.allows(call.headers, stream)) reply.error(7, 'AccessDenied', new shared.AccessDenied());
  else if (events.reduce((bytes, { data }) => bytes + data.length, 0) > MAX_APPEND_BYTES)
    reply.error(3, 'MaximumAppendSizeExceeded', tooLarge());
  else {
    const outcome = node.log.append(stream, events, expected);
    if (outcome.kind === 'conflict') reply.error(6, 'WrongExpectedVersion', conflict(outcome.actual, expected));
    else node.afterCommit(() => reply.success(outcome));
  }
};

const tooLarge = (): shared.MaximumAppendSizeExceeded => {
  const details = new shared.MaximumAppendSizeExceeded();
  details.setMaxappendsize(MAX_APPEND_BYTES);
  return details;
};

const expectation = (options: streams.BatchAppendReq.Options): Expectation => {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasAny()) return 'any';
  throw new MalformedRequest('an expectation that Logbook does not send');
};

/** Answers to one append. */
class Reply {
  constructor(
    private readonly call: RpcCall,
    private readonly request: streams.BatchAppendReq,
  ) {}

  success({ revision, position }: Extract<AppendOutcome, { kind: 'written' }>): void {
    const success = new streams.BatchAppendResp.Success();
    success.setCurrentRevision(revision.toString());
    success.setPosition(placedAt(new shared.AllStreamPosition(), position));
    const response = this.response();
    response.setSuccess(success);
    this.call.write(frame(response));
  }

  error(code: StatusCode, message: string, details: Serializable, type = `event_store.client.${message}`): void {
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
    response.setCorrelationId(this.request.getCorrelationId());
    response.setStreamIdentifier(this.request.getOptions()?.getStreamIdentifier());
    return response;
  }
}

type StatusCode = statuses.Status.AsObject['code'];

const conflict = (actual: bigint | undefined, expected: Expectation): shared.WrongExpectedVersion => {
  const details = new shared.WrongExpectedVersion();
  if (actual === undefined) details.setCurrentNoStream(new emptyPb.Empty());
  else details.setCurrentStreamRevision(actual.toString());
  if (typeof expected === 'bigint') details.setExpectedStreamPosition(expected.toString());
  else details.setExpectedNoStream(new emptyPb.Empty());
  return details;
};
