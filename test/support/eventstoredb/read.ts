import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type Filter, parseFilter } from './filter.js';
import { type Handler, type RpcCall, RpcError } from './grpc.js';
import type { ServerNode } from './node.js';
import type { StoredEvent } from './stored-event.js';
import { allSource, Subscription, streamSource } from './subscription.js';
import { eventFrame, lastPositionFrame, streamDeleted, streamName, streamNotFoundFrame, type UuidForm } from './wire.js';

const { ReadDirection } = streams.ReadReq.Options;

/** How many bytes are handed to a connection at a time. */
const PIECE_BYTES = 64 * 1024;

/** The rpc `Read`: pages of a stream or of `$all`, and subscriptions to them. */
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
        checkCombination(options);
        node.checkAccess(call.headers, options.getStream() ? streamName(options.getStream()?.getStreamIdentifier()) : '$all');
        const uuids = uuidForm(options);
        // Without the option the real server never answers.
        if (!uuids) return;
        const encode = encoder(node, uuids, options.getResolveLinks());
        if (options.hasSubscription()) {
          subscription = subscribe(node, call, options, encode);
          subscriptions.add(subscription);
          subscription.start();
          return;
        }
        resume = pagesOf(node, call, options, encode);
        resume();
      },
      drained: () => (subscription ? subscription.drained() : resume?.()),
      closed() {
        if (subscription) subscriptions.delete(subscription);
        subscription?.closed();
      },
    };
  };

type Encode = (event: StoredEvent) => Buffer;

const pagesOf = (node: ServerNode, call: RpcCall, options: streams.ReadReq.Options, encode: Encode): (() => void) =>
  options.getStream() ? readStream(node, call, options, encode) : readAll(node, call, options, encode);

const encoder =
  (node: ServerNode, uuids: UuidForm, resolveLinks: boolean): Encode =>
  (event) =>
    eventFrame(event, uuids, resolveLinks && event.type === '$>' ? linkTarget(node, event) : undefined);

/** Data of a link: `revision@stream`. */
const linkTarget = (node: ServerNode, link: StoredEvent): StoredEvent | undefined => {
  const [, revision = '', stream = ''] = /^(\d+)@(.*)$/s.exec(Buffer.from(link.data).toString()) ?? [];
  return node.log.event(stream, Number(revision));
};

const uuidForm = (options: streams.ReadReq.Options): UuidForm | undefined => {
  const option = options.getUuidOption();
  if (option?.hasString()) return 'string';
  return option?.hasStructured() ? 'structured' : undefined;
};

/** Only some combinations of options have a meaning. */
const checkCombination = (options: streams.ReadReq.Options): void => {
  const backwards = options.getReadDirection() === ReadDirection.BACKWARDS;
  const target = options.hasStream() ? 'Stream' : options.hasAll() ? 'All' : 'None';
  const amount = options.hasCount() ? 'Count' : options.hasSubscription() ? 'Subscription' : 'None';
  const filter = options.hasFilter() ? 'Filter' : options.hasNoFilter() ? 'NoFilter' : 'None';
  const meaningless = [target, amount, filter].includes('None') || (target === 'Stream' && filter === 'Filter');
  if (!meaningless && !(backwards && amount === 'Subscription')) return;
  const details = `The combination of (${target}, ${amount}, ${backwards ? 'Backwards' : 'Forwards'}, ${filter}) is invalid.`;
  throw new RpcError({ code: 3, details });
};

const readStream = (node: ServerNode, call: RpcCall, options: streams.ReadReq.Options, encode: Encode): (() => void) => {
  const from = options.getStream()!;
  const name = streamName(from.getStreamIdentifier());
  const backwards = options.getReadDirection() === ReadDirection.BACKWARDS;
  const count = Number(options.getCount());
  if (count === 0 || (from.hasEnd() && !backwards)) throw new RpcError({ code: 2, details: 'Unexpected ReadStreamResult: Error' });
  const readable = node.log.readable(name);
  if (readable.kind === 'tombstoned') throw streamDeleted(name);
  if (readable.kind === 'missing') {
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
  return send(call, encode, count, at, after);
};

const readAll = (node: ServerNode, call: RpcCall, options: streams.ReadReq.Options, encode: Encode): (() => void) => {
  const from = options.getAll()!;
  const backwards = options.getReadDirection() === ReadDirection.BACKWARDS;
  const { log } = node;
  const count = Number(options.getCount());
  const position = from.getPosition();
  const commit = position ? BigInt(position.getCommitPosition()) : 0n;
  if (count === 0 || !log.isBoundary(commit)) throw new RpcError({ code: 2, details: 'Unexpected ReadAllResult: Error' });
  const passes = filterOf(options);
  const end = log.events.length;
  const place = position ? log.indexFrom(commit) : from.hasEnd() ? end : 0;
  // Forwards the event at the position is the first, backwards the one before it.
  const start = backwards ? place - 1 : place;
  return send(call, encode, count, (index) => {
    const at = backwards ? start - index : start + index;
    const event = at < end ? log.events[at] : undefined;
    if (event) node.searched += 1;
    return event && (passes(event) ? { event } : 'skip');
  });
};

const filterOf = (options: streams.ReadReq.Options): Filter => parseFilter(options.getFilter());

type Step = Readonly<{ event: StoredEvent }> | 'skip' | undefined;

/** Sends up to `count` events, and `after` at the end, as fast as the connection takes them: call the result again whenever it has drained. */
const send = (call: RpcCall, encode: Encode, count: number, at: (index: number) => Step, after?: Buffer): (() => void) => {
  let index = 0;
  let sent = 0;
  const next = (): Readonly<{ piece: readonly Buffer[]; isLast: boolean }> => {
    const piece: Buffer[] = [];
    let bytes = 0;
    while (sent < count && bytes < PIECE_BYTES) {
      const step = at(index++);
      if (step === undefined) return { piece, isLast: true };
      if (step === 'skip') continue;
      const framed = encode(step.event);
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

const subscribe = (node: ServerNode, call: RpcCall, options: streams.ReadReq.Options, encode: Encode): Subscription => {
  const stream = options.getStream();
  const source = stream ? streamSource(node.log, stream) : allSource(node.log, options.getAll()!);
  return new Subscription(node, call, source, encode, filterOf(options), options.getFilter());
};
