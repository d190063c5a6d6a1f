import { firstOf } from '#api/shared/http/request-context.js';
import type { Clock } from '#domain/shared/clock.js';
import { type Day, dayAt, isDay } from '#domain/shared/time.js';
import * as errors from './errors.js';

/** Today in UTC. */
export const today = (clock: Clock): Day => dayAt(clock());

/** Day of a call, if given. @throws StatusError `E400D` */
export const givenDay = (query: Readonly<{ date?: unknown }>): Day | undefined => {
  const given = firstOf(query.date);
  if (!given) return undefined;
  if (!isDay(given)) throw errors.badDate(given);
  return given;
};

/** Day of a call; default today. @throws StatusError `E400D` */
export const dayIn = (query: Readonly<{ date?: unknown }>, clock: Clock): Day => givenDay(query) ?? today(clock);
