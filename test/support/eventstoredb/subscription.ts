import { randomUUID } from 'node:crypto';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Filter } from './filter.js';
import type { RpcCall, RpcStatus } from './grpc.js';
import type { EventLog } from './log.js';
import type { ServerNode } from './node.js';
import type { StoredEvent } from './stored-event.js';
import { checkpointFrame, confirmationFrame, eventFrame } from './wire.js';

/** Events of a page in catch-up when the filter names no window. */
const DEFAULT_WINDOW = 32;
/** Live events that wait for a connection that is full. */
const LIVE_BUFFER = 32;
/** How long a connection may stay full while more wait. In one process with its server a reader cannot be quicker. */
export const PATIENCE_MS = 3_000;

const TOO_SLOW: RpcStatus = {
  code: 10,
  details: 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
};

/** A place in the log that moves forwards. */
type Source = Readonly<{
  /** The next events, at most `limit`; empty at the end. */
  take(limit: number): readonly StoredEvent[];
  /** How many events are ahead. */
  lag(): number;
}>;

/** Everything after the position given (exclusive), from the first event, or only what is to come. */
export const allSource = (log: EventLog, from: streams.ReadReq.Options.AllOptions): Source => {
  const position = from.getPosition();
  let next = from.hasEnd() ? log.events.length : 0;
  if (position) {
    const commit = BigInt(position.getCommitPosition());
    if (!log.isBoundary(commit)) throw new Error('a position inside a record');
    next = log.indexFrom(commit);
    // A checkpoint of catch-up has prepare position 0: it lies before the event at its commit position.
    if (log.events[next]?.position === commit && BigInt(position.getPreparePosition()) >= commit) next++;
  }
  return {
    take(limit) {
      const taken = log.events.slice(next, next + limit);
      next += taken.length;
      return taken;
    },
    lag: () => log.events.length - next,
  };
};

/** Confirmation, history, live events; checkpoints where there is a filter. Ends itself when the consumer is too slow. */
export class Subscription {
  private readonly page: number;
  /** Events considered between two checkpoints. */
  private readonly interval: number;
  private considered = 0;
  private live = false;
  private free = true;
  private unsubscribe: (() => void) | undefined;
  private patience: NodeJS.Timeout | undefined;

  constructor(
    private readonly node: ServerNode,
    private readonly call: RpcCall,
    private readonly source: Source,
    private readonly passes: Filter,
    filter: streams.ReadReq.Options.FilterOptions | undefined,
  ) {
    this.page = filter?.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
    this.interval = filter ? this.page * Math.max(filter.getCheckpointintervalmultiplier(), 1) : Number.POSITIVE_INFINITY;
  }

  start(): void {
    this.call.write(confirmationFrame(randomUUID()));
    this.unsubscribe = this.node.onCommit(() => this.pump());
    this.pump();
  }

  drained(): void {
    this.free = true;
    clearTimeout(this.patience);
    this.patience = undefined;
    this.pump();
  }

  /** Ends the call as if the consumer were too slow. */
  drop(): void {
    this.closed();
    this.call.end(TOO_SLOW);
  }

  closed(): void {
    this.unsubscribe?.();
    clearTimeout(this.patience);
  }

  private pump(): void {
    while (this.free && !this.call.ended) {
      const events = this.source.take(this.page);
      if (events.length === 0) {
        this.live = true;
        return;
      }
      const frames = this.live ? this.liveFrames(events) : this.pageFrames(events);
      if (frames.length > 0) this.free = this.call.write(Buffer.concat(frames));
    }
    if (this.live && !this.call.ended && this.source.lag() > LIVE_BUFFER) this.lagging();
  }

  private lagging(): void {
    if (this.node.faults.dropSlowConsumers) this.drop();
    else this.patience ??= setTimeout(() => this.drop(), PATIENCE_MS);
  }

  /** In catch-up a checkpoint says where the page started, or names its last match: it lags. */
  private pageFrames(page: readonly StoredEvent[]): Buffer[] {
    const matches = page.filter(this.passes);
    const frames = matches.map((event) => this.sent(event));
    this.considered += page.length;
    if (page.length < this.page || this.considered < this.interval) return frames;
    this.considered = 0;
    const match = matches.at(-1)?.position;
    return [...frames, checkpointFrame(match ?? page[0]!.position, match ?? 0n)];
  }

  private liveFrames(events: readonly StoredEvent[]): Buffer[] {
    const frames: Buffer[] = [];
    for (const event of events) {
      if (this.passes(event)) frames.push(this.sent(event));
      if (++this.considered < this.interval) continue;
      this.considered = 0;
      frames.push(checkpointFrame(event.position, event.position));
    }
    return frames;
  }

  private sent(event: StoredEvent): Buffer {
    this.node.sent += 1;
    return eventFrame(event);
  }
}
