import type { EventStore } from '#domain/shared/event-store.js';
import type { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { TimedEventStore } from '#infra/edges/telemetry/timed-event-store.js';
import { TimedReadStore } from '#infra/edges/telemetry/timed-read-store.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { PartitionedReadStore } from '#infra/engine/projection-runner/set-aside/partitioned-store.js';
import { GatedReadStore } from '#infra/stores/log-identity/gated-read-store.js';
import { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/stores/read-store/sealed/sealed-read-store.js';
import { confirmMasterKey } from '#infra/stores/secrets/key-events.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/*
 * Every store of the program is one of the two at the bottom of its list, or a layer around it. A layer extends `DelegatingEventStore` or
 * `DelegatingReadStore`: it changes the calls described here and passes on all others.
 *
 * The log, `EventStore`, from the inside out:
 *   EmbeddedEventStore or EventStoreDbLog   the log itself (`Runtime.log`)
 *   TimedEventStore      measures appends and reads
 *   OpeningEventStore    appends nothing before the log has confirmed its installation and the master key (`Runtime.eventStore`)
 * Elsewhere: SharedLog (`engine/followers`), one subscription for all followers of a process; ThreadEventStore
 * (`runtime/followers/thread-context.ts`), a log for reading whose appends the main thread makes; BoundedLog
 * (`projection-runner/verify`), which ends at the position of a verification.
 *
 * Read models, `ReadStore`, from the inside out:
 *   DocumentStore or RedisReadStore   documents in their stored, sealed form
 *   TimedReadStore       measures commits
 *   SealedReadStore      seals and opens personal and secret members, for projectors, jobs and erasure
 *   GatedReadStore       refuses documents that do not belong to this log, or show less than before (`Runtime.readStore`, for queries)
 *   PartitionedReadStore refuses documents of partitions that are set aside, for the controllers of an application
 * Elsewhere: `pastReadStore` (`api/as-of`), the documents of a moment, in place of all of these.
 */

/** The log for writers: appends and reads are measured, and nothing is appended before the log has confirmed its installation and the master key. */
export const writtenLog = (log: EventStore, telemetry: Telemetry, masterKey: Buffer): OpeningEventStore =>
  new OpeningEventStore(new TimedEventStore(log, telemetry), (inner) => confirmMasterKey(inner, masterKey));

/** Documents for projectors: commits are measured in stored form, and personal and secret members are sealed in the store. */
export const appliedDocuments = (documents: ReadStore, telemetry: Telemetry, sealing: SealedDocuments): ReadStore =>
  new SealedReadStore(new TimedReadStore(documents, telemetry), sealing);

/** Documents for queries: refused unless they belong to this log and include everything shown before. */
export const shownDocuments = (
  applied: ReadStore,
  readModels: Pick<ReadModels, 'readGate' | 'secondsLeft'>,
  sealing: SealedDocuments,
): ReadStore =>
  new GatedReadStore(
    applied,
    (projection) => readModels.readGate(projection),
    sealing,
    (projection) => readModels.secondsLeft(projection),
  );

/** Documents for requests: those of partitions that are set aside are refused. */
export const requestedDocuments = (shown: ReadStore, readModels: Pick<ReadModels, 'partitionsOf'>): ReadStore =>
  new PartitionedReadStore(shown, readModels);
