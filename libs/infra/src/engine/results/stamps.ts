import { type Day, dayBefore } from '#domain/shared/time.js';

/** Stamp that changes with new points of a day or of the day before. @param stamps of the points of days; days without points are absent */
export const stampOfPoints = (stamps: ReadonlyMap<Day, string>, day: Day): string =>
  `${stamps.get(day) ?? ''}/${stamps.get(dayBefore(day)) ?? ''}`;
