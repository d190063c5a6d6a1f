import { byBytes } from '#domain/shared/text-order.js';

/** Compares lists of names of equal length: by the first that differs. */
export const byNames = (left: readonly string[], right: readonly string[]): number => {
  const differing = left.findIndex((name, index) => name !== right[index]);
  return differing < 0 ? 0 : byBytes(left[differing] as string, right[differing] as string);
};
