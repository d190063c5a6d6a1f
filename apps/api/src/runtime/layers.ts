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
 * The layers around the stores, from the inside out. Each changes what it is named after and passes all other calls on.
 *
 * The log, as `EventStore`: timed → opening. Followers also share one subscription (`engine/followers/shared-log.ts`), and those in a thread have
 * the main thread append for them (`followers/thread-context.ts`).
 * Read models, as `ReadStore`: timed → sealed for what applies events; → gated for queries; → partitioned for requests; on API threads of embedded
 * documents → uncached (`hosting/threads/uncached-read-store.ts`), because commits of the other process are noticed late.
 */

/** The log for writers: appends and reads are measured, and nothing is appended before the log has confirmed its installation and the master key. */
export const writtenLog = (log: EventStore, telemetry: Telemetry, masterKey: Buffer): OpeningEventStore =>
  new OpeningEventStore(new TimedEventStore(log, telemetry), (inner) => confirmMasterKey(inner, masterKey));

/** Documents for what applies events to them: commits are measured as they are stored, and personal and secret members are sealed in the store. */
export const appliedDocuments = (documents: ReadStore, telemetry: Telemetry, sealing: SealedDocuments): ReadStore =>
  new SealedReadStore(new TimedReadStore(documents, telemetry), sealing);

/** Documents for queries: refused unless they come from this log and show all that was shown before. */
export const shownDocuments = (applied: ReadStore, readModels: Pick<ReadModels, 'readGate'>, sealing: SealedDocuments): ReadStore =>
  new GatedReadStore(applied, (projection) => readModels.readGate(projection), sealing);

/** Documents for requests: those of partitions that are set aside are refused. */
export const requestedDocuments = (shown: ReadStore, readModels: Pick<ReadModels, 'partitionsOf'>): ReadStore =>
  new PartitionedReadStore(shown, readModels);
