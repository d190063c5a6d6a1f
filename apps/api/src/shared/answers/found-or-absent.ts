import type { Completeness } from '#infra/engine/projection-runner/completeness.js';

type Looked<Found> = Found | undefined | Promise<Found | undefined>;

/**
 * The document, or `undefined` only once the read models are known to be complete. Synchronous if the look-up is.
 * @throws ReadModelsUnavailable
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
    await completeness.require(...projections);
    return lookUp();
  };
  return Promise.resolve(first).then(confirm);
};
