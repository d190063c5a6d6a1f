import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { Namespace, Progress, ReadStore } from '#projections/shared/read-store.js';
import { examine } from './examine.js';
import { LogIdentity } from './log-identity.js';
import { emptyOrigin, encodeOrigin, OriginTrail } from './origin.js';

/** Before every event, and different from the checkpoint of an empty namespace. */
const CONDEMNED: Position = 1n;

type OriginDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  /** Categories whose streams lose events after some time, always from their start. */
  expiring: readonly string[];
  log: Pick<Logger, 'warn'>;
  /** `null`: this process applies no projection, so it leaves decisions to those that do. */
  seats?: object | null;
}>;

/**
 * Prepares an empty namespace with the origin of this log.
 * @param building whether it is served before it shows the whole log. Default `false`
 * @throws EventStoreUnavailable, ReadStoreUnavailable, NamespaceGone
 */
export const prepareForLog = async (
  { events, store }: Pick<OriginDependencies, 'events' | 'store'>,
  projection: string,
  version: number,
  building = false,
): Promise<Readonly<{ namespace: Namespace; trail: OriginTrail }>> => {
  const installation = await new LogIdentity(events).installation();
  const namespace = await store.prepare(projection, version);
  if (installation === null) return { namespace, trail: new OriginTrail(null, 0n) };
  const origin = encodeOrigin(emptyOrigin(installation, building));
  await store.commit(namespace, [], 0n, 0n, origin);
  return { namespace, trail: new OriginTrail(origin, 0n) };
};

/**
 * Result of checking served documents. `why`: reason why they do not come from this log. `null`: they do, and no event is missed after
 * `checkpoint`. `building`: they have never shown the whole log.
 */
export type OriginVerdict = Readonly<{ why: string | null; checkpoint: Position; building: boolean }>;

/**
 * Checks whether the served documents come from this log, and corrects states that need no rebuild: an origin that was never recorded, and
 * a checkpoint that is ahead of the log while the documents are not. A process that applies projections marks documents of another log, and
 * sets their checkpoint back before that of every reader: processes that have not noticed yet neither show them nor add to them.
 * @throws CheckpointConflict the checkpoint was moved meanwhile: call again
 * @throws EventStoreUnavailable, ReadStoreUnavailable, NamespaceGone
 */
export const settleOrigin = async (dependencies: OriginDependencies, served: Namespace): Promise<OriginVerdict> => {
  const { store, log, seats } = dependencies;
  const progress = await store.progress(served);
  const { checkpoint } = progress;
  const finding = await examine(dependencies, progress);
  switch (finding.kind) {
    case 'same':
      return { why: null, checkpoint, building: isBuilding(progress) };
    case 'other':
      if (seats !== null && checkpoint > CONDEMNED) await store.commit(served, [], checkpoint, CONDEMNED, condemned(finding.why));
      return { why: finding.why, checkpoint, building: false };
    case 'unrecorded':
      await store.commit(served, [], checkpoint, checkpoint, finding.origin);
      return { why: null, checkpoint, building: isBuilding({ checkpoint, origin: finding.origin }) };
    case 'ahead': {
      const { position, why, origin } = finding;
      await store.commit(served, [], checkpoint, position, origin);
      log.warn({ projection: served.projection, position: `${position}`, why }, 'the checkpoint was ahead of the log and went back');
      return { why: null, checkpoint: position, building: isBuilding({ checkpoint: position, origin }) };
    }
  }
};

/** Origin of documents that do not come from the log. Versions of the program that do not know the mark see another installation. */
const condemned = (why: string): string => encodeOrigin({ ...emptyOrigin('none'), checkpoint: CONDEMNED, foreign: why });

const isBuilding = ({ origin, checkpoint }: Progress): boolean => new OriginTrail(origin, checkpoint).isBuilding;
