import { setTimeout as pause } from 'node:timers/promises';
import type { Provider } from '@nestjs/common';
import { provides } from '#api/shared/provides.js';
import { READ_STORE, type Token, token } from '#api/shared/tokens.js';
import type { AnyDayList } from '#domain/status/day-lists/day-lists.js';
import { DayListQueries } from '#projections/status/day-lists/queries.js';

const tokens = new Map<string, Token<DayListQueries>>();

/** Injection token of the {@link DayListQueries} of a kind of list. */
export const dayListQueriesOf = ({ kind }: AnyDayList): Token<DayListQueries> => {
  const known = tokens.get(kind) ?? token<DayListQueries>(`DayListQueries ${kind}`);
  tokens.set(kind, known);
  return known;
};

export const dayListQueriesProvider = (list: AnyDayList): Provider =>
  provides(dayListQueriesOf(list), [READ_STORE], (store) => new DayListQueries(store, list, pause));
