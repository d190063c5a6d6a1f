import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';

/** A call with an `Idempotency-Key` is about to write the list of this day. So is each repeat of it, whatever day it is then. */
export type DayListSubmitted = Readonly<{ type: 'DayListSubmitted'; data: Readonly<{ date: Day }> }>;

/** One stream per idempotency key (given as its hash) of a call that writes the list of a day. */
export const DAY_LIST_CALLS_CATEGORY = 'status.day_list_calls';
export const dayListCallStream = (key: string): string => `${DAY_LIST_CALLS_CATEGORY}-${key}`;

export const dayListCallEvents: CatalogueOf<DayListSubmitted> = { DayListSubmitted: { resource: none } };

/** Assigns the day to the call. The list is written next. */
export const dayListCalls: Decider<null, Readonly<{ type: 'SubmitDayList'; date: Day }>, DayListSubmitted> = {
  window: 0,
  initialState: () => null,
  decide: ({ date }) => [{ type: 'DayListSubmitted', data: { date } }],
  evolve: (state) => state,
};
