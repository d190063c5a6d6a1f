import type { AllStreamResolvedEvent, ResolvedEvent } from '@eventstore/db-client';
import type { Position } from '#domain/shared/events.js';
import type { ReadCall, ReadListener, ReadRequest } from '#infra/stores/event-store/eventstoredb/log-client.js';
import { MISSING_STREAM, NOTHING, type ReadMessage } from '#infra/stores/event-store/eventstoredb/messages/records.js';
import { isMissingStream, wireEventOf } from './conversions.js';
import type { VendorClient } from './vendor-client.js';

/** A subscription reports its progress after every 32 x 8 events that did not pass. */
const CHECKPOINT_INTERVAL = 8;

type Resolved = AllStreamResolvedEvent | ResolvedEvent;

type Source = Readonly<{
  on: ((name: 'data', listener: (resolved: Resolved) => void) => unknown) &
    ((name: 'error', listener: (error: unknown) => void) => unknown) &
    ((name: 'end', listener: () => void) => unknown);
}>;

/** `failed`: converts an error of the client. `over`: called after the last callback. */
type Owner = Readonly<{ failed(error: unknown): Error; over(read: OfficialRead): void }>;

/**
 * A read or a subscription of the vendor's client. The client cannot make the server filter a read of the log: events that do not pass are
 * skipped here, and the call ends once enough have passed.
 */
export class OfficialRead implements ReadCall {
  private isOver = false;
  private passed = 0;
  private readonly names: RegExp | undefined;
  private readonly wanted: number;
  private readonly stop: () => Promise<void>;

  constructor(
    client: VendorClient,
    request: ReadRequest,
    private readonly listener: ReadListener,
    private readonly owner: Owner,
  ) {
    this.names = filterHere(request);
    this.wanted = this.names && request.of === 'all' ? request.count : 1;
    this.stop = this.start(client, request);
  }

  /** Ends the read with an error. */
  fail(error: unknown): void {
    this.finish(error);
    this.cancel();
  }

  cancel(): void {
    this.isOver = true;
    this.owner.over(this);
    this.stop().catch(() => {}); // it failed before it began
  }

  /** Returns a function that ends it. */
  private start(client: VendorClient, request: ReadRequest): () => Promise<void> {
    if (request.of === 'live') {
      const { after, streamNames: regex } = request;
      const checkpointReached = (_: unknown, { commit, prepare }: Readonly<{ commit: bigint; prepare: bigint }>): void => {
        // With unequal positions it is the beginning of a page that has not been searched yet.
        if (commit === prepare) this.hear({ event: undefined, searched: commit });
      };
      const filter = { filterOn: 'streamName' as const, regex, checkpointInterval: CHECKPOINT_INTERVAL, checkpointReached };
      const subscription = client.subscribeToAll({ fromPosition: placeOf(after), filter, requiresLeader: true });
      this.listen(subscription);
      return () => subscription.unsubscribe();
    }
    const reading = readOf(client, request, this.names !== undefined);
    this.listen(reading);
    return () => reading.cancel();
  }

  private listen(source: Source): void {
    source.on('data', (resolved) => this.take(resolved));
    source.on('error', (error) => {
      if (!isMissingStream(error)) return this.finish(this.owner.failed(error));
      this.hear(MISSING_STREAM);
      this.finish(undefined);
    });
    source.on('end', () => this.finish(undefined));
  }

  private take(resolved: Resolved): void {
    if (this.isOver) return;
    const event = wireEventOf(resolved);
    if (!event || this.names?.test(event.stream) === false) {
      this.hear(NOTHING); // a search without results is not silence
      return;
    }
    this.hear({ event, searched: 0n });
    this.passed += 1;
    if (!this.names || this.passed < this.wanted) return;
    this.finish(undefined);
    this.cancel();
  }

  private hear(message: ReadMessage): void {
    if (this.isOver) return;
    try {
      this.listener.message(message);
    } catch (error) {
      this.fail(error);
    }
  }

  private finish(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.owner.over(this);
    this.listener.ended(error);
  }
}

const filterHere = (request: ReadRequest): RegExp | undefined =>
  (request.of === 'all' || request.of === 'head') && request.streamNames !== undefined ? new RegExp(request.streamNames) : undefined;

const placeOf = (position: Position) => (position === 0n ? 'start' : { commit: position, prepare: position });

/** @param filtered whether the wanted events may be far apart */
const readOf = (client: VendorClient, request: Exclude<ReadRequest, { of: 'live' }>, filtered: boolean) => {
  switch (request.of) {
    case 'stream': {
      const { stream, from, direction, count } = request;
      const start = direction === 'forwards' ? 'start' : 'end';
      return client.readStream(stream, { direction, fromRevision: from ?? start, maxCount: count, requiresLeader: true });
    }
    case 'last': // a protocol option unknown to the client makes the server report the end of the stream
      return client.readStream(request.stream, { direction: 'backwards', fromRevision: 'end', maxCount: 1, requiresLeader: true });
    case 'all':
      return client.readAll({ fromPosition: placeOf(request.from), ...(!filtered && { maxCount: request.count }), requiresLeader: true });
    case 'head':
      return client.readAll({ direction: 'backwards', fromPosition: 'end', ...(!filtered && { maxCount: 1 }), requiresLeader: true });
  }
};
