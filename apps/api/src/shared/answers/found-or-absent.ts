import type { Completeness } from '#infra/projection-runner/completeness.js';

type Looked<Found> = Found | undefined | Promise<Found | undefined>;

/**
 * What a look-up finds, or certainty that the log holds no such thing: an absent document is looked for again once the read models are known to
 * be complete. At once where the look-up finds something at once.
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
