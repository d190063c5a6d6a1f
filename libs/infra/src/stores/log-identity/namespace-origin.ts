import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { Namespace, Progress, ReadStore } from '#projections/shared/read-store.js';
import { examine } from './examine.js';
import { LogIdentity } from './log-identity.js';
import { emptyOrigin, encodeOrigin, OriginTrail } from './origin.js';

/** Before every event, and not that of an empty namespace. */
const CONDEMNED: Position = 1n;

type OriginDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  /** Categories whose streams lose events after a while, always from their start. */
  expiring: readonly string[];
  log: Pick<Logger, 'warn'>;
  /** `null`: this process applies no projection, and so does not decide for those that do. */
  seats?: object | null;
}>;

/**
 * Prepares an empty namespace with the origin of this log.
 * @param building it is to be served before it shows the whole log. Default `false`
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
 * Result of an examination of served documents. `why`: why they do not come from this log; `null`: they do, and following from `checkpoint` misses nothing.
 * `building`: they have never shown the whole log.
 */
export type OriginVerdict = Readonly<{ why: string | null; checkpoint: Position; building: boolean }>;

/**
 * Examines whether the served documents come from this log, and corrects what needs no rebuild: an origin that was never recorded, and a
 * checkpoint that is ahead of the log while the documents are not. Documents of another log are marked by a process that applies projections, and their
 * checkpoint goes back to where no reader of any process is: processes that have not noticed yet do not show them either, and do not add to them.
 * @throws CheckpointConflict somebody moved the checkpoint meanwhile: ask again
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

/** The origin of documents that do not come from the log. Versions of the program that do not know the mark find another installation. */
const condemned = (why: string): string => encodeOrigin({ ...emptyOrigin('none'), checkpoint: CONDEMNED, foreign: why });

const isBuilding = ({ origin, checkpoint }: Progress): boolean => new OriginTrail(origin, checkpoint).isBuilding;
