import { TimeSlice } from '#domain/shared/time-slice.js';

/** Slices of work on a long stream: commands on other streams are hardly delayed. */
export const shortSlice = (): TimeSlice => new TimeSlice(3);
