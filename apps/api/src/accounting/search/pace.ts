import { TimeSlice } from '#domain/shared/time-slice.js';
import { SearchEffort } from './matching.js';

/** Limits the work of one call: it is divided into slices, bounded in total, and ended once its client is gone. */
export class Pace {
  readonly slice = new TimeSlice();
  readonly effort = new SearchEffort();

  /** @param isGone returns whether the client is gone */
  constructor(private readonly isGone: () => boolean) {}

  get isPointless(): boolean {
    return this.isGone();
  }
}
