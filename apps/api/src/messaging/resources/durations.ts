import { described, optional, type Shape, text } from '#api/shared/bodies/body-shape.js';
import { RETENTION_LIMITS } from '#domain/messaging/resources/subscription-options.js';
import { doc } from '#domain/shared/shape.js';

/** Body member with whole seconds, `<n>s`. */
export const duration = (description: string): Shape<string | undefined> =>
  described(optional(text), doc('text', description, { pattern: '^\\d+s$' }));

const DURATION = /^(\d{1,9})s$/;

/** Seconds of `<n>s` within these inclusive bounds. @throws the error if out of bounds or in another form */
export const secondsIn = (given: string, least: number, most: number, invalid: () => Error): number => {
  const [, digits] = DURATION.exec(given) ?? [];
  const seconds = digits === undefined ? Number.NaN : Number(digits);
  if (!(seconds >= least && seconds <= most)) throw invalid();
  return seconds;
};

/** Retention of messages. @throws the error as {@link secondsIn} */
export const retentionIn = (given: string, invalid: () => Error): number => {
  const { shortestMessageRetention, longestMessageRetention } = RETENTION_LIMITS;
  return secondsIn(given, shortestMessageRetention.value, longestMessageRetention.value, invalid);
};

export function shownDuration(seconds: number): string;
export function shownDuration(seconds: number | undefined): string | undefined;
export function shownDuration(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${seconds}s`;
}
