import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { ReadModelsBehind } from '#projections/shared/read-store.js';

type Looked<Found> = Found | undefined | Promise<Found | undefined>;

/**
 * The document. It is `undefined` only if the read models are known to be complete, or have been waited for; then answers about its absence
 * are marked (`registerReadings`). Synchronous if the look-up is.
 * @throws ReadModelsUnavailable no documents are served, or not those of this log
 */
export const foundOrAbsent = <Found extends NonNullable<unknown>>(
  completeness: Completeness,
  projections: readonly string[],
  lookUp: () => Looked<Found>,
): Looked<Found> => {
  const first = lookUp();
  if (first !== undefined && !(first instanceof Promise)) return first;
  const confirm = async (found: Found | undefined): Promise<Found | undefined> => {
    if (found !== undefined) return found;
    try {
      await completeness.require(...projections);
    } catch (error) {
      if (!(error instanceof ReadModelsBehind)) throw error;
    }
    return lookUp();
  };
  return Promise.resolve(first).then(confirm);
};
