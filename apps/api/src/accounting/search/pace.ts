import { TimeSlice } from '#domain/shared/time-slice.js';
import { SearchEffort } from './matching.js';

/** Bounds the work of one call: how long it works in one go, how much in all, and not at all once its client is gone. */
export class Pace {
  readonly slice = new TimeSlice();
  readonly effort = new SearchEffort();

  /** @param isGone whether nobody waits for the answer any more */
  constructor(private readonly isGone: () => boolean) {}

  get isPointless(): boolean {
    return this.isGone();
  }
}
