import type { SubjectKeys } from './subject-keys.js';

/** Keys by subject; `null` for destroyed keys. */
export type OpenKeys = ReadonlyMap<string, Buffer | null>;

/**
 * Returns a promise only if a key is not in memory. Missing keys are fetched concurrently, each once.
 * @throws (or rejects with) WrongMasterKey, EventStoreUnavailable
 */
export const openKeysOf = (keys: SubjectKeys, subjects: Iterable<string>): OpenKeys | Promise<OpenKeys> => {
  const found = new Map<string, Buffer | null>();
  const missing = new Set<string>();
  for (const subject of subjects) {
    if (found.has(subject)) continue;
    const key = keys.cached(subject);
    if (key === undefined) missing.add(subject);
    else found.set(subject, key);
  }
  if (missing.size === 0) return found;
  return Promise.all([...missing].map(async (subject) => found.set(subject, await keys.find(subject)))).then(() => found);
};
