import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import { allRequest, appendRequest, bytes, headRequest, lastRequest, streamRequest, subscribeRequest } from './requests.js';

const { ReadReq, BatchAppendReq } = streams;

/** Checks the head of a framed request and returns its message. */
const messageOf = (framed: Buffer): Buffer => {
  expect([framed[0], framed.readUInt32BE(1)]).toEqual([0, framed.length - 5]);
  return framed.subarray(5);
};

const options = (framed: Buffer) => ReadReq.deserializeBinary(messageOf(framed)).getOptions()?.toObject();

const empty = {};
const common = { resolveLinks: false, uuidOption: { structured: undefined, string: empty }, controlOption: undefined };
const filter = {
  streamIdentifier: { regex: '^(?!\\$)', prefixList: [] },
  eventType: undefined,
  max: 0,
  count: empty,
  checkpointintervalmultiplier: 8,
};

describe('requests, as the messages of the official client', () => {
  it.each([
    ['forwards from a revision', streamRequest('täst-1', 2n ** 40n, 'forwards', 500), 0, { revision: `${2n ** 40n}` }, '500'],
    ['forwards from the start', streamRequest('täst-1', undefined, 'forwards', 1), 0, { start: empty }, '1'],
    ['backwards from the end', streamRequest('täst-1', undefined, 'backwards', 1), 1, { end: empty }, '1'],
    ['backwards from revision 0', streamRequest('täst-1', 0n, 'backwards', 127), 1, { revision: '0' }, '127'],
  ])('read a stream %s', (_, framed, readDirection, from, count) => {
    expect(options(framed)).toMatchObject({
      ...common,
      readDirection,
      count,
      noFilter: empty,
      stream: { ...from, streamIdentifier: { streamName: Buffer.from('täst-1').toString('base64') } },
    });
  });

  it('read the last event of a stream, and ask where it ends', () => {
    expect(options(lastRequest('täst-1'))).toEqual({
      ...options(streamRequest('täst-1', undefined, 'backwards', 1)),
      controlOption: { compatibility: 1 },
    });
  });

  it('read the whole log', () => {
    const position = { commitPosition: '9007199254740993', preparePosition: '9007199254740993' };
    expect(options(allRequest(9_007_199_254_740_993n, '^(?!\\$)', Number.MAX_SAFE_INTEGER))).toMatchObject({
      ...common,
      readDirection: 0,
      all: { position },
      count: `${Number.MAX_SAFE_INTEGER}`,
      filter,
    });
    expect(options(allRequest(0n, '^(?!\\$)', 1))).toMatchObject({ all: { start: empty, position: undefined } });
    expect(options(headRequest())).toMatchObject({ ...common, readDirection: 1, all: { end: empty }, count: '1', noFilter: empty });
    expect(options(headRequest('^(?!\\$)'))).toMatchObject({ all: { end: empty }, filter, noFilter: undefined });
  });

  it('subscribe', () => {
    expect(options(subscribeRequest(300n, '^(?!\\$)'))).toMatchObject({
      ...common,
      all: { position: { commitPosition: '300', preparePosition: '300' } },
      subscription: empty,
      filter,
    });
  });

  it.each([
    [1, 'no-stream' as const],
    [100, 2n ** 33n],
  ])('append %i events', (count, expected) => {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    const events = ids.map((id, index) => ({
      id,
      type: 'Häppened',
      data: bytes(JSON.stringify({ text: 'ü'.repeat(index * 40) })),
      metadata: bytes('{"a":1}'),
      contentType: index % 2 ? ('application/octet-stream' as const) : ('application/json' as const),
    }));
    const correlation = crypto.randomUUID();
    const request = BatchAppendReq.deserializeBinary(messageOf(appendRequest(correlation, 'täst-1', events, expected)));
    expect(request.getCorrelationId()?.getString()).toBe(correlation);
    expect(request.getIsFinal()).toBe(true);
    const appended = request.getOptions();
    expect(Buffer.from(appended?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe('täst-1');
    expect([appended?.hasNoStream(), appended?.getStreamPosition()]).toEqual(
      expected === 'no-stream' ? [true, '0'] : [false, `${expected}`],
    );
    const proposed = request.getProposedMessagesList().map((message) => ({
      id: message.getId()?.getString(),
      type: message.getMetadataMap().get('type'),
      data: Buffer.from(message.getData_asU8()),
      metadata: Buffer.from(message.getCustomMetadata_asU8()),
      contentType: message.getMetadataMap().get('content-type'),
    }));
    expect(proposed).toEqual(events);
  });
});
