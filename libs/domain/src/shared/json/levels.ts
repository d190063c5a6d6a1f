import type { Json } from '#domain/shared/events.js';

/** More than the data of any event of Logbook has, since bodies of requests have at most 1,000. */
export const MOST_LEVELS = 1_090;

/** Whether objects and arrays are nested more than so many levels. Ends at the bound, however deep the value is. */
export const isDeeper = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
};
