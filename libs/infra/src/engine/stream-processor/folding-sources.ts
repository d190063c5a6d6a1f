import type { EventStore } from '#domain/shared/event-store.js';
import type { Revision } from '#domain/shared/events.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import type { Snapshots } from './snapshots/snapshots.js';
import type { KeySource } from './stream-keys.js';

/** Sources from which streams are folded. */
export type FoldingSources = Readonly<{
  store: EventStore;
  codec: EventCodec;
  /** Returns how often the log may have been replaced so far. */
  interruptions: () => number;
  snapshots?: Pick<Snapshots, 'findState' | 'findKeys' | 'use'>;
}>;

/**
 * Returns whether the log has an event in its place. Ids are random and streams only grow, so it then has all earlier events, too: data
 * stored up to that event come from this log, or from one of which this is a copy.
 */
export const hasEvent = async (
  store: EventStore,
  stream: string,
  { revision, id }: Readonly<{ revision: Revision; id: string | null }>,
): Promise<boolean> => {
  const [event] = await store.readStream(stream, { from: revision, limit: 1 });
  return event?.revision === revision && event.id === id;
};

/** Source of the idempotency keys of a stream. */
export const keySource = (stream: string, { store, codec, snapshots }: FoldingSources, pageBefore: KeySource['pageBefore']): KeySource => ({
  pageBefore,
  currentMetadata: (metadata) => codec.currentMetadata(metadata),
  stored: async () => {
    const stored = await snapshots?.findKeys(stream);
    return stored && (await hasEvent(store, stream, stored.place)) ? stored : undefined;
  },
  use: async (segment, key) => await snapshots?.use(stream, segment, key),
});
