import type { Json } from '#domain/shared/events.js';

/** Above the nesting of any event of Logbook: request bodies have at most 1,000 levels. */
export const MOST_LEVELS = 1_090;

/** Whether objects and arrays are nested deeper than `levels`. Stops at the bound. */
export const isDeeper = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
};
