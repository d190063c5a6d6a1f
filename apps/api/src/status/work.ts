import { TimeSlice } from '#domain/shared/time-slice.js';

/** The work of one call: how long it goes on at a time, and not at all once its client is gone. */
export class Work {
  readonly slice = new TimeSlice();

  /** @param isGone whether nobody waits for the answer any more; default: somebody does */
  constructor(private readonly isGone: () => boolean = () => false) {}

  get isPointless(): boolean {
    return this.isGone();
  }
}
