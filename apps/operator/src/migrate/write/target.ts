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
import type { ImportTarget } from '#domain/shared/import-target.js';
import { CommandFailed } from '#operator/command-failed.js';

/** An event with the id and the metadata that it gets. */
export type MigratedEvent = Readonly<{ id: string; event: DomainEvent; metadata: Omit<EventMetadata, 'schemaVersion'> }>;

/** The installation that a migration fills. */
export interface MigrationTarget {
  /** A page of a stream, readable; nothing of a stream that does not exist. */
  read(stream: string, from: Revision, limit: number): Promise<readonly Pick<RecordedEvent, 'id' | 'type' | 'data' | 'revision'>[]>;
  /** Position of the newest event when the migration began. */
  readonly begun: Position;
  /** @returns position of the last event, the earlier one if the events are there already. @throws WrongExpectedRevision */
  append(stream: string, events: readonly MigratedEvent[], expected: ExpectedRevision, recordedAt?: number): Promise<Position>;
  /** Makes `next` the revision of the next event of the stream, as if as many had been there and had expired. */
  skip(stream: string, next: Revision): Promise<void>;
  setRetention: EventStore['setRetention'];
  /** By which a key or token is looked up. */
  hashOf(credential: string): string;
  /** The same of one whose SHA-256 (hex) is known. */
  keyed(digest: string): string;
}

/** How often an append is sent before the command gives up, and the pause after the first. */
const MOST_ATTEMPTS = 8;
const PAUSE_MS = 500;

/** The stores of an installation. */
export class StoresTarget implements MigrationTarget {
  private constructor(
    private readonly runtime: Runtime,
    private readonly log: ImportTarget,
    readonly begun: Position,
  ) {}

  static async of(runtime: Runtime): Promise<StoresTarget> {
    await runtime.eventStore.open();
    return new StoresTarget(runtime, runtime.log, await runtime.eventStore.end());
  }

  async read(stream: string, from: Revision, limit: number): Promise<readonly Pick<RecordedEvent, 'id' | 'type' | 'data' | 'revision'>[]> {
    return this.runtime.decode(await this.log.readStream(stream, { from, limit }));
  }

  async append(stream: string, events: readonly MigratedEvent[], expected: ExpectedRevision, recordedAt?: number): Promise<Position> {
    const sealed = await Promise.all(events.map((event) => this.sealed(categoryOf(stream), event)));
    // Repeating it does no harm: the log knows events by their ids.
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.appendOnce(stream, sealed, expected, recordedAt);
      } catch (error) {
        if (!(error instanceof AppendOutcomeUnknown || error instanceof EventStoreUnavailable)) throw error;
        if (attempt === MOST_ATTEMPTS)
          throw new CommandFailed(`the log does not take more now (${error.message}): run the same command again`);
        await sleep(attempt * PAUSE_MS);
      }
    }
  }

  private async appendOnce(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    recordedAt: number | undefined,
  ): Promise<Position> {
    const { eventStore } = this.runtime;
    const append =
      recordedAt === undefined
        ? eventStore.append(stream, events, expected)
        : this.log.appendRecordedAt(stream, events, expected, recordedAt);
    return (await append).position;
  }

  skip(stream: string, next: Revision): Promise<void> {
    return this.log.skip(stream, next);
  }

  setRetention(...given: Parameters<EventStore['setRetention']>): Promise<void> {
    return this.log.setRetention(...given);
  }

  hashOf(credential: string): string {
    return this.runtime.credentialHashes.of(credential);
  }

  keyed(digest: string): string {
    return this.runtime.credentialHashes.keyed(digest);
  }

  private sealed(category: string, { id, event, metadata }: MigratedEvent): NewEvent | Promise<NewEvent> {
    const { codec } = this.runtime;
    const encoded = codec.encode(category, event);
    const whole = (data: NewEvent['data']): NewEvent => ({
      id,
      type: encoded.type,
      data,
      metadata: { ...metadata, schemaVersion: encoded.schemaVersion },
    });
    const data = codec.seal(encoded);
    return data instanceof Promise ? data.then(whole) : whole(data);
  }
}

/** Target of a dry run: nothing is written. */
export class DryTarget implements MigrationTarget {
  readonly begun = 0n;

  /** @param log what is there already; `undefined`: nothing */
  constructor(private readonly log?: Pick<Runtime, 'decode' | 'eventStore' | 'credentialHashes'>) {}

  async read(stream: string, from: Revision, limit: number): Promise<readonly Pick<RecordedEvent, 'id' | 'type' | 'data' | 'revision'>[]> {
    return this.log ? this.log.decode(await this.log.eventStore.readStream(stream, { from, limit })) : [];
  }

  append(): Promise<Position> {
    return Promise.resolve(1n);
  }

  skip(): Promise<void> {
    return Promise.resolve();
  }

  setRetention(): Promise<void> {
    return Promise.resolve();
  }

  hashOf(credential: string): string {
    return this.log?.credentialHashes.of(credential) ?? hash('sha256', credential, 'hex');
  }

  keyed(digest: string): string {
    return this.log?.credentialHashes.keyed(digest) ?? digest;
  }
}
