import streams from '@eventstore/db-client/generated/streams_pb.js';
import { parseFilter } from './filter.js';
import { type Handler, type RpcCall, RpcError } from './grpc.js';
import type { ServerNode } from './node.js';
import type { StoredEvent } from './stored-event.js';
import { allSource, Subscription } from './subscription.js';
import { eventFrame, lastPositionFrame, streamName, streamNotFoundFrame } from './wire.js';

const { ReadDirection } = streams.ReadReq.Options;

/** How many bytes are handed to a connection at a time. */
const PIECE_BYTES = 64 * 1024;

/** The rpc `Read`: pages of a stream or of `$all`, and subscriptions to `$all`. */
export const readHandler =
  (node: ServerNode, subscriptions: Set<Subscription>): Handler =>
  (call) => {
    node.checkServing(call.headers);
    let resume: (() => void) | undefined;
    let subscription: Subscription | undefined;
    return {
      message(bytes) {
        const options = streams.ReadReq.deserializeBinary(bytes).getOptions();
        if (!options) throw new Error('no options');
        const [stream, all] = [options.getStream(), options.getAll()];
        node.checkAccess(call.headers, stream ? streamName(stream.getStreamIdentifier()) : '$all');
        if (options.hasSubscription()) {
          subscription = new Subscription(node, call, allSource(node.log, all!), parseFilter(options.getFilter()), options.getFilter());
          subscriptions.add(subscription);
          subscription.start();
          return;
        }
        resume = stream ? readStream(node, call, options, stream) : readAll(node, call, options, all!);
        resume();
      },
      drained: () => (subscription ? subscription.drained() : resume?.()),
      closed() {
        if (subscription) subscriptions.delete(subscription);
        subscription?.closed();
      },
    };
  };

type Options = streams.ReadReq.Options;

const readStream = (node: ServerNode, call: RpcCall, options: Options, from: streams.ReadReq.Options.StreamOptions): (() => void) => {
  const name = streamName(from.getStreamIdentifier());
  const backwards = options.getReadDirection() === ReadDirection.BACKWARDS;
  const count = Number(options.getCount());
  if (count === 0 || (from.hasEnd() && !backwards)) throw new RpcError({ code: 2, details: 'Unexpected ReadStreamResult: Error' });
  const readable = node.log.readable(name);
  if (!readable) {
    return () => {
      call.write(streamNotFoundFrame(name));
      call.end();
    };
  }
  const { events, first } = readable;
  const end = events.length;
  const start = from.hasRevision() ? Number(from.getRevision()) : from.hasEnd() ? end - 1 : 0;
  const range = backwards ? { start: Math.min(start, end - 1), step: -1 } : { start: Math.max(start, first), step: 1 };
  const isAsked = (options.getControlOption()?.getCompatibility() ?? 0) >= 1;
  const after = isAsked ? lastPositionFrame(BigInt(end - 1)) : undefined;
  const at = (index: number): Step => {
    const event = events[range.start + index * range.step];
    return event !== undefined && event.revision >= first && event.revision < end ? { event } : undefined;
  };
  return send(call, count, at, after);
};

const readAll = (node: ServerNode, call: RpcCall, options: Options, from: streams.ReadReq.Options.AllOptions): (() => void) => {
  const backwards = options.getReadDirection() === ReadDirection.BACKWARDS;
  const { log } = node;
  const count = Number(options.getCount());
  const position = from.getPosition();
  const commit = position ? BigInt(position.getCommitPosition()) : 0n;
  if (count === 0 || !log.isBoundary(commit)) throw new RpcError({ code: 2, details: 'Unexpected ReadAllResult: Error' });
  const passes = parseFilter(options.getFilter());
  const end = log.events.length;
  const place = position ? log.indexFrom(commit) : from.hasEnd() ? end : 0;
  // Forwards the event at the position is the first, backwards the one before it.
  const start = backwards ? place - 1 : place;
  return send(call, count, (index) => {
    const at = backwards ? start - index : start + index;
    const event = at < end ? log.events[at] : undefined;
    if (event) node.searched += 1;
    return event && (passes(event) ? { event } : 'skip');
  });
};

type Step = Readonly<{ event: StoredEvent }> | 'skip' | undefined;

/** Sends up to `count` events, and `after` at the end, as fast as the connection takes them: call the result again whenever it has drained. */
const send = (call: RpcCall, count: number, at: (index: number) => Step, after?: Buffer): (() => void) => {
  let index = 0;
  let sent = 0;
  const next = (): Readonly<{ piece: readonly Buffer[]; isLast: boolean }> => {
    const piece: Buffer[] = [];
    let bytes = 0;
    while (sent < count && bytes < PIECE_BYTES) {
      const step = at(index++);
      if (step === undefined) return { piece, isLast: true };
      if (step === 'skip') continue;
      const framed = eventFrame(step.event);
      piece.push(framed);
      bytes += framed.length;
      sent++;
    }
    return { piece, isLast: sent >= count };
  };
  return () => {
    while (!call.ended) {
      const { piece, isLast } = next();
      const free = piece.length === 0 || call.write(Buffer.concat(piece));
      if (isLast) {
        if (after) call.write(after);
        return call.end();
      }
      if (!free) return;
    }
  };
};
