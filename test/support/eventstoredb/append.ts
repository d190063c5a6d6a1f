import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import jspb from 'google-protobuf';
import { frame, type Handler, RpcError, type Serializable } from './grpc.js';
import type { AppendOutcome, Expectation } from './log.js';
import { MAX_APPEND_BYTES, type ServerNode } from './node.js';
import type { ProposedEvent } from './stored-event.js';
import { expectation, expectationNumber, MissingMetadata, placedAt, proposedEvent, streamDeleted, streamName } from './wire.js';

const empty = () => new shared.Empty();

/** The rpc `Append`: options first, then the events, answered when the client has ended its side. */
export const appendHandler =
  (node: ServerNode): Handler =>
  (call) => {
    node.checkServing(call.headers);
    let target: { stream: string; expected: Expectation } | undefined;
    const events: ProposedEvent[] = [];
    let size = 0;
    return {
      message(bytes) {
        const request = streams.AppendReq.deserializeBinary(bytes);
        const options = request.getOptions();
        if (options) {
          target = { stream: streamName(options.getStreamIdentifier()), expected: plainExpectation(options) };
          node.checkAccess(call.headers, target.stream);
          return;
        }
        const message = request.getProposedMessage();
        if (!target || !message) throw new Error('a call starts with its options');
        events.push(plainEvent(message));
        size += events.at(-1)!.data.length;
        if (size > MAX_APPEND_BYTES) throw tooLarge();
      },
      halfClosed() {
        if (!target) throw new Error('a call starts with its options');
        const { stream, expected } = target;
        const outcome = node.log.append(stream, events, expected);
        if (outcome.kind === 'deleted') throw streamDeleted(stream);
        const answer = (): void => {
          call.write(frame(response(outcome, expected)));
          call.end();
        };
        if (outcome.kind === 'written') node.afterCommit(call, answer);
        else answer();
      },
    };
  };

const tooLarge = (): RpcError =>
  new RpcError({
    code: 3,
    details: `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`,
    trailers: { exception: 'maximum-append-size-exceeded', 'maximum-append-size': String(MAX_APPEND_BYTES) },
  });

const plainExpectation = (options: streams.AppendReq.Options): Expectation => {
  const expected = expectation(options, options.hasRevision() ? options.getRevision() : undefined);
  if (expected !== undefined) return expected;
  const details = "'None' is not a valid EventStore.Client.Streams.AppendReq+Types+Options+ExpectedStreamRevisionOneofCase";
  throw new RpcError({ code: 3, details });
};

const plainEvent = (message: streams.AppendReq.ProposedMessage): ProposedEvent => {
  try {
    return proposedEvent(message);
  } catch (error) {
    throw error instanceof MissingMetadata ? new RpcError(error.status) : error;
  }
};

const response = (outcome: Exclude<AppendOutcome, { kind: 'deleted' }>, expected: Expectation): Serializable => {
  if (outcome.kind === 'conflict') return conflictResponse(outcome.actual, expected);
  const message = new streams.AppendResp();
  message.setSuccess(success(outcome));
  return message;
};

/** The largest uint64: how the old field `expected_revision_20_6_0` says that no stream was expected. */
const NO_STREAM_2060 = (() => {
  const writer = new jspb.BinaryWriter();
  writer.writeUint64String(3, '18446744073709551615');
  return writer.getResultBuffer();
})();

/** Put together by hand: the generated setter takes a number, and no number is that large. */
const conflictResponse = (actual: bigint | undefined, expected: Expectation): Serializable => {
  const writer = new jspb.BinaryWriter();
  const bytes = conflict(actual, expected).serializeBinary();
  writer.writeBytes(
    streams.AppendResp.ResultCase.WRONG_EXPECTED_VERSION,
    expected === 'no-stream' ? Buffer.concat([bytes, NO_STREAM_2060]) : bytes,
  );
  return { serializeBinary: () => writer.getResultBuffer() };
};

const success = ({ revision, position }: Extract<AppendOutcome, { kind: 'written' }>): streams.AppendResp.Success => {
  const message = new streams.AppendResp.Success();
  if (revision === undefined) message.setNoStream(empty());
  else message.setCurrentRevision(revision.toString());
  message.setPosition(placedAt(new streams.AppendResp.Position(), position));
  return message;
};

const conflict = (actual: bigint | undefined, expected: Expectation): streams.AppendResp.WrongExpectedVersion => {
  const message = new streams.AppendResp.WrongExpectedVersion();
  if (actual === undefined) {
    message.setNoStream2060(empty());
    message.setCurrentNoStream(empty());
  } else {
    message.setCurrentRevision2060(Number(actual));
    message.setCurrentRevision(actual.toString());
  }
  if (typeof expected === 'bigint') {
    message.setExpectedRevision2060(Number(expected));
    message.setExpectedRevision(expected.toString());
  } else if (expected === 'stream-exists') {
    message.setStreamExists2060(empty());
    message.setExpectedStreamExists(empty());
  } else {
    message.setExpectedNoStream(empty());
  }
  return message;
};

type DeletionRequest = streams.DeleteReq.Options | streams.TombstoneReq.Options | undefined;
type Deletion = Readonly<{
  deserialize(bytes: Uint8Array): DeletionRequest;
  apply(stream: string, expected: Expectation): AppendOutcome;
  respond(position: bigint): Serializable;
}>;

/** The rpcs `Delete` and `Tombstone`; here a conflict is a status with trailers. */
const deletionHandler =
  (node: ServerNode, deletion: Deletion): Handler =>
  (call) => {
    node.checkServing(call.headers);
    return {
      message(bytes) {
        const options = deletion.deserialize(bytes);
        if (!options) throw new Error('no options');
        const stream = streamName(options.getStreamIdentifier());
        node.checkAccess(call.headers, stream);
        const position = deleted(deletion, stream, expectation(options, options.hasRevision() ? options.getRevision() : undefined));
        node.afterCommit(call, () => {
          call.write(frame(deletion.respond(position)));
          call.end();
        });
      },
    };
  };

/** Deletes a stream; returns the position of that. @throws RpcError */
const deleted = (deletion: Deletion, stream: string, expected: Expectation | undefined): bigint => {
  if (expected === undefined) throw new Error('no expectation');
  const outcome = deletion.apply(stream, expected);
  if (outcome.kind === 'deleted') throw streamDeleted(stream);
  if (outcome.kind === 'conflict') throw deletionConflict(stream, expected, outcome.actual ?? -1n);
  return outcome.position;
};

const deletionConflict = (stream: string, expected: Expectation, actual: bigint): RpcError => {
  const wanted = expectationNumber(expected);
  return new RpcError({
    code: 9,
    details: `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${wanted}, Actual version: ${actual}`,
    trailers: {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(wanted),
      'actual-version': String(actual),
    },
  });
};

export const deleteHandler = (node: ServerNode): Handler =>
  deletionHandler(node, {
    deserialize: (bytes) => streams.DeleteReq.deserializeBinary(bytes).getOptions(),
    apply: (stream, expected) => node.log.delete(stream, expected),
    respond: (position) => new streams.DeleteResp().setPosition(placedAt(new streams.DeleteResp.Position(), position)),
  });

export const tombstoneHandler = (node: ServerNode): Handler =>
  deletionHandler(node, {
    deserialize: (bytes) => streams.TombstoneReq.deserializeBinary(bytes).getOptions(),
    apply: (stream, expected) => node.log.tombstone(stream, expected),
    respond: (position) => new streams.TombstoneResp().setPosition(placedAt(new streams.TombstoneResp.Position(), position)),
  });
