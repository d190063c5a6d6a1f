import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '#api/runtime/runtime.js';
import { AppendOutcomeUnknown, type EventStore, EventStoreUnavailable, type ExpectedRevision } from '#domain/shared/event-store.js';
import {
  categoryOf,
  type DomainEvent,
  type EventMetadata,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Revision,
} from '#domain/shared/events.js';
import { CommandFailed } from '#operator/command-failed.js';

/** An event with its id and metadata. */
export type MigratedEvent = Readonly<{ id: string; event: DomainEvent; metadata: Omit<EventMetadata, 'schemaVersion'> }>;

/** The installation that a migration fills. */
export interface MigrationTarget {
  /** A page of a stream, decoded: fewer events if they are large; empty only beyond the last event. */
  read(
    stream: string,
    from: Revision,
    limit: number,
  ): Promise<readonly Pick<RecordedEvent, 'id' | 'type' | 'data' | 'revision' | 'metadata'>[]>;
  /** Position of the newest event when the migration began. */
  readonly begun: Position;
  /** @returns position of the last event, the earlier one if the events already exist. @throws WrongExpectedRevision */
  append(stream: string, events: readonly MigratedEvent[], expected: ExpectedRevision, recordedAt?: number): Promise<Position>;
  /** Sets the revision of the next event of the stream, as if earlier events had existed and expired. */
  skip(stream: string, next: Revision): Promise<void>;
  setRetention: EventStore['setRetention'];
  /** Hash under which a key or token is found. */
  hashOf(credential: string): string;
  /** Hash of a credential whose SHA-256 (hex) is known. */
  keyed(digest: string): string;
}

/** Returns whether no event of the stream can be read: there was none, or all have expired. */
export const isEmptyStream = async (target: Pick<MigrationTarget, 'read'>, stream: string): Promise<boolean> =>
  (await target.read(stream, 0n, 1)).length === 0;

/** Number of attempts of an append before the command gives up, and the pause after the first. */
const MOST_ATTEMPTS = 8;
const PAUSE_MS = 500;

/** Size of a page. */
const PAGE_BYTES = 4_194_304;

type TargetStores = Pick<Runtime, 'codec' | 'credentialHashes' | 'decode' | 'eventStore' | 'log'>;

/** The stores of an installation. */
export const storesTarget = async (runtime: TargetStores): Promise<MigrationTarget> => {
  const { log, eventStore, decode, credentialHashes, codec } = runtime;
  await eventStore.open();
  const begun = new BegunInOrder();
  return {
    begun: await eventStore.end(),
    read: async (stream, from, limit) => decode(await log.readStream(stream, { from, limit, maxBytes: PAGE_BYTES })),
    append: (stream, events, expected, recordedAt) => {
      const sealed = Promise.all(events.map((event) => sealedEvent(codec, categoryOf(stream), event)));
      return begun.after(sealed, (prepared) => append(runtime, stream, prepared, expected, recordedAt));
    },
    skip: (stream, next) => log.skip(stream, next),
    setRetention: (stream, retention) => log.setRetention(stream, retention),
    hashOf: (credential) => credentialHashes.of(credential),
    keyed: (digest) => credentialHashes.keyed(digest),
  };
};

/** Work begins in the order of the calls, however long each one's preparation takes: lists of records are in the order of the log. */
class BegunInOrder {
  private last: Promise<unknown> = Promise.resolve();

  async after<Prepared, Result>(preparation: Promise<Prepared>, work: (prepared: Prepared) => Promise<Result>): Promise<Result> {
    const begun = Promise.all([preparation, this.last]).then(([prepared]) => ({ done: work(prepared) }));
    this.last = Promise.allSettled([begun, this.last]).then(() => undefined);
    return (await begun).done;
  }
}

/** Repeats through outages, which is safe, because the log recognises events by their ids. */
const append = async (
  { eventStore, log }: TargetStores,
  stream: string,
  sealed: readonly NewEvent[],
  expected: ExpectedRevision,
  recordedAt: number | undefined,
): Promise<Position> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const appended = await (recordedAt === undefined
        ? eventStore.append(stream, sealed, expected)
        : log.appendRecordedAt(stream, sealed, expected, recordedAt));
      return appended.position;
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown || error instanceof EventStoreUnavailable)) throw error;
      if (attempt === MOST_ATTEMPTS)
        throw new CommandFailed(`the log does not take more now (${error.message}): run the same command again`);
      await sleep(attempt * PAUSE_MS);
    }
  }
};

const sealedEvent = async (codec: Runtime['codec'], category: string, { id, event, metadata }: MigratedEvent): Promise<NewEvent> => {
  const encoded = codec.encode(category, event);
  const { type, schemaVersion } = encoded;
  return { id, type, data: await codec.seal(encoded), metadata: { ...metadata, schemaVersion } };
};

/** Target of a dry run, which writes nothing. @param log existing events; `undefined` if there are none */
export const dryTarget = (
  log?: Pick<Runtime, 'decode' | 'credentialHashes'> & Readonly<{ eventStore: Pick<EventStore, 'readStream'> }>,
): MigrationTarget => ({
  begun: 0n,
  read: async (stream, from, limit) =>
    log ? log.decode(await log.eventStore.readStream(stream, { from, limit, maxBytes: PAGE_BYTES })) : [],
  append: async () => 1n,
  skip: async () => {},
  setRetention: async () => {},
  hashOf: (credential) => log?.credentialHashes.of(credential) ?? hash('sha256', credential, 'hex'),
  keyed: (digest) => log?.credentialHashes.keyed(digest) ?? digest,
});
