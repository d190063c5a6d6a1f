import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import { CallRefused, Conflict, NotReady } from '#infra/stores/event-store/eventstoredb/errors.js';
import { MalformedMessage } from '#infra/stores/event-store/eventstoredb/grpc/protobuf.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { appendAnswer } from './append-answers.js';
import { decode, readMessage } from './records.js';

const { ReadResp, BatchAppendResp } = streams;

const uuid = (id: string): shared.UUID => {
  const value = new shared.UUID();
  value.setString(id);
  return value;
};

const identifier = (name: string): shared.StreamIdentifier => {
  const value = new shared.StreamIdentifier();
  value.setStreamName(Buffer.from(name));
  return value;
};

const ID = '0b0b0b0b-1111-4222-8333-444444444444';
const metadata = { ...systemContext('test', 'ops', 0, null), schemaVersion: 1 };

const eventMessage = (data: string, custom: string, revision = '0', position = '70') => {
  const recorded = new ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuid(ID));
  recorded.setStreamIdentifier(identifier('täst-1'));
  recorded.setStreamRevision(revision);
  recorded.setCommitPosition(position);
  recorded.setPreparePosition(position);
  recorded.getMetadataMap().set('type', 'Happened').set('created', '17040672001234567').set('content-type', 'application/json');
  recorded.setCustomMetadata(Buffer.from(custom));
  recorded.setData(Buffer.from(data));
  const read = new ReadResp.ReadEvent();
  read.setEvent(recorded);
  read.setCommitPosition(position);
  const message = new ReadResp();
  message.setEvent(read);
  return Buffer.from(message.serializeBinary());
};

describe('messages of reads', () => {
  it.each([
    ['0', '70'],
    ['127', `${2n ** 32n}`],
    [`${2n ** 53n + 1n}`, `${2n ** 63n - 1n}`],
  ])('are events, revision %s at %s', (revision, position) => {
    const { event } = readMessage(eventMessage('{"text":"ü"}', JSON.stringify(metadata), revision, position));
    expect(event && decode(event)).toEqual({
      event: {
        id: ID,
        type: 'Happened',
        stream: 'täst-1',
        data: { text: 'ü' },
        metadata,
        revision: BigInt(revision),
        position: BigInt(position),
        recordedAt: 1_704_067_200_123,
      },
      bytes: 13,
      payload: undefined,
    });
  });

  it('refer to payloads without showing that to callers', () => {
    const place = { revisions: [3, 5], offset: 900_000, bytes: 1_000_500 };
    const { event } = readMessage(eventMessage('null', JSON.stringify({ ...metadata, $payload: { ...place, parts: 2 } })));
    const stream = 'payload-täst-1';
    expect(event && decode(event)).toMatchObject({ event: { metadata }, bytes: 1_000_500, payload: { stream, ...place } });
  });

  it('refer to payloads as 1.0 wrote them, with a stream for each event', () => {
    const payload = { parts: 2, bytes: 1_500_000, digest: 'd', expires: true };
    const { event } = readMessage(eventMessage('null', JSON.stringify({ ...metadata, $payload: payload })));
    const place = { stream: `payload-${ID}.d`, revisions: [0, 1], offset: 0, bytes: 1_500_000 };
    expect(event && decode(event)).toMatchObject({ event: { metadata }, bytes: 1_500_000, payload: place });
  });

  it('are checkpoints, which count where both positions are equal', () => {
    const checkpointMessage = (commit: string, prepare: string) => {
      const checkpoint = new ReadResp.Checkpoint();
      checkpoint.setCommitPosition(commit);
      checkpoint.setPreparePosition(prepare);
      const message = new ReadResp();
      message.setCheckpoint(checkpoint);
      return readMessage(Buffer.from(message.serializeBinary()));
    };
    expect(checkpointMessage('300', '300')).toEqual({ event: undefined, searched: 300n });
    expect(checkpointMessage('300', '0')).toEqual({ event: undefined, searched: 0n });
  });

  it('tell where a stream ends', () => {
    const last = new ReadResp();
    last.setLastStreamPosition(`${2n ** 33n}`);
    const missing = new ReadResp();
    missing.setStreamNotFound(new ReadResp.StreamNotFound());
    const told = [last, missing].map((message) => readMessage(Buffer.from(message.serializeBinary())));
    expect(told).toEqual([2n ** 33n, 'no-stream'].map((revision) => ({ event: undefined, searched: 0n, last: revision })));
  });

  it('are of no interest, or links without an event', () => {
    const link = new ReadResp.ReadEvent();
    link.setLink(new ReadResp.ReadEvent.RecordedEvent());
    const unresolved = new ReadResp();
    unresolved.setEvent(link);
    const confirmation = new ReadResp();
    confirmation.setConfirmation(new ReadResp.SubscriptionConfirmation());
    for (const message of [new ReadResp(), unresolved, confirmation])
      expect(readMessage(Buffer.from(message.serializeBinary()))).toEqual({ event: undefined, searched: 0n });
  });

  it('cannot be read when they are cut', () => {
    const whole = eventMessage('{}', '{}');
    for (const length of [1, 2, 10, 60, whole.length - 1]) expect(() => readMessage(whole.subarray(0, length))).toThrow(MalformedMessage);
  });

  it('are unreadable events where their bytes are not of the form that Logbook writes', () => {
    const { event } = readMessage(eventMessage('{', ''));
    expect(event && decode(event).event).toMatchObject({
      id: ID,
      type: 'UnreadableEvent',
      data: { type: event?.type, reason: 'it has no metadata', data: 'ew==', metadata: '' },
      metadata: { time: '2024-01-01T00:00:00.123Z', actor: { kind: 'system', id: 'unknown' }, service: 'ops', schemaVersion: 1 },
    });
  });
});

describe('answers to appends', () => {
  const answerOf = (fill: (answer: streams.BatchAppendResp) => void) => {
    const answer = new BatchAppendResp();
    answer.setCorrelationId(uuid(ID));
    fill(answer);
    return appendAnswer(Buffer.from(answer.serializeBinary()));
  };
  const refused = (type: string, details: Uint8Array = new Uint8Array()) =>
    answerOf((answer) => {
      const packed = new any.Any();
      packed.pack(details, type);
      const status = new statuses.Status();
      status.setMessage('text');
      status.setDetails(packed);
      answer.setError(status);
    }).failure;

  it('are results', () => {
    const answer = answerOf((made) => {
      const success = new BatchAppendResp.Success();
      success.setCurrentRevision('300');
      const position = new shared.AllStreamPosition();
      position.setCommitPosition(`${2n ** 40n}`);
      position.setPreparePosition(`${2n ** 40n}`);
      success.setPosition(position);
      made.setSuccess(success);
    });
    expect(answer).toEqual({ correlation: ID, result: { revision: 300n, position: 2n ** 40n }, failure: undefined });
  });

  it('are conflicts, with what was found', () => {
    const conflict = new shared.WrongExpectedVersion();
    conflict.setCurrentStreamRevision('7');
    expect(refused('event_store.client.WrongExpectedVersion', conflict.serializeBinary())).toMatchObject({ actual: 7n });
    const none = new shared.WrongExpectedVersion();
    none.setExpectedStreamPosition('7');
    const found = refused('event_store.client.WrongExpectedVersion', none.serializeBinary());
    expect(found).toBeInstanceOf(Conflict);
    expect(found).toMatchObject({ actual: 'no-stream' });
  });

  it('are refusals, a server that is not ready, or unknown outcomes', () => {
    for (const type of ['StreamDeleted', 'MaximumAppendSizeExceeded', 'AccessDenied', 'BadRequest'])
      expect(refused(`event_store.client.${type}`)).toBeInstanceOf(CallRefused);
    expect(refused('google.protobuf.Empty')).toBeInstanceOf(NotReady);
    for (const unknown of [refused('event_store.client.Timeout'), answerOf((made) => made.setError(new statuses.Status())).failure])
      expect(unknown).toMatchObject({ name: 'Error' });
  });

  it('may name their append by two numbers', () => {
    const structured = new shared.UUID.Structured();
    structured.setMostSignificantBits(BigInt.asIntN(64, 0xfb0b0b0b11114222n).toString());
    structured.setLeastSignificantBits(BigInt.asIntN(64, 0x8333444444444444n).toString());
    const answer = answerOf((made) => {
      const id = new shared.UUID();
      id.setStructured(structured);
      made.setCorrelationId(id);
    });
    expect(answer.correlation).toBe('fb0b0b0b-1111-4222-8333-444444444444');
  });
});
