import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import type { Slice } from '#projections/shared/pages.js';

/** The same with slices of its own. */
export class AccountReader extends AccountQueries {
  override allProjects(slice: Slice = new TimeSlice()) {
    return super.allProjects(slice);
  }
}
