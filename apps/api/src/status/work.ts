import { TimeSlice } from '#domain/shared/time-slice.js';

/** The work of one call: divided into time slices, and ended once its client is gone. */
export class Work {
  readonly slice = new TimeSlice();

  /** @param isGone returns whether the client is gone; default: it is not */
  constructor(private readonly isGone: () => boolean = () => false) {}

  get isPointless(): boolean {
    return this.isGone();
  }
}
