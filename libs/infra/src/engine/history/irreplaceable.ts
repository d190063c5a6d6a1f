import type { Position } from '#domain/shared/events.js';
import { readsExpiring } from '#infra/engine/projection-runner/lost-events.js';
import { OriginTrail } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';

type Build = Readonly<{ version: number; checkpoint: Position; origin?: string | null }>;

/** Returns whether a build has never shown the whole log: until then its first position may rise. */
export const isBuilding = ({ origin = null, checkpoint }: Build): boolean => new OriginTrail(origin, checkpoint).isBuilding;

/**
 * Returns whether current queries can read the past that a build shows, and it may not be reproducible from the log: events have left the
 * log, or keys of sealed members are gone, so that rebuilt documents would not show that something was erased.
 */
export const isIrreplaceable = (projection: Projection, expiring: readonly string[], build: Build): boolean =>
  projection.past === undefined &&
  build.version >= (projection.readsFrom ?? 1) &&
  (projection.sealed !== undefined || readsExpiring(projection, expiring)) &&
  !isBuilding(build);
