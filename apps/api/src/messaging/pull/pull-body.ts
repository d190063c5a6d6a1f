import { LIMITS } from '#api/messaging/limits.js';
import { described, due, flag, integer64, limited, list, named, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import { doc, oneOf } from '#domain/shared/shape.js';
import { isDay } from '#domain/shared/time.js';

/** A text, as in the original, or a value of the other kind, which is converted to text. */
const textOr = (kind: 'number' | 'boolean', other: Shape<string> | Shape<boolean>): Shape<string> => ({
  ...text,
  read: (reader) => (reader.kind() === kind ? String(other.read(reader)) : text.read(reader)),
});

export const pullBody = named(
  'MessagingPullRequest',
  struct({
    maxMessages: described(
      textOr('number', integer64),
      doc('text', `a number as text, default 1; a pull delivers ${LIMITS.messagesPerPull.value} messages at most`, { pattern: '^-?\\d+$' }),
    ),
    returnImmediately: described(
      textOr('boolean', flag),
      doc(oneOf('true', 'false'), 'a flag as text, default true; `false` waits for messages'),
    ),
  }),
);

export const redriveBody = named(
  'MessagingRedriveRequest',
  struct({
    maxMessages: described(
      textOr('number', integer64),
      doc('integer', `default and at most ${LIMITS.messagesPerRedrive.value}; a text with the number is taken, too`, { minimum: 1 }),
    ),
  }),
);

const ackId = described(text, doc('text', 'as a pull delivered it', { pattern: '^projects/[^/]+/subscriptions/[^/:]+:-?\\d+(-\\d+)?$' }));
export const acknowledgeBody = named('MessagingAcknowledgeRequest', struct({ ackIds: due(limited(list(ackId), { minItems: 1 })) }));

/** An offset beyond the exact range of numbers is out of bounds, not malformed. */
export const offsetBody = named(
  'MessagingOffsetRequest',
  struct({ offset: due(integer64, doc('count', 'from `min` to `max` of the offsets of the subscription, both included')) }),
);

export const seekBody = named(
  'MessagingSeekRequest',
  struct({
    time: due(text, doc('instant', '`YYYY-MM-DDTHH:MM:SSZ` with at most nine fractional digits', { examples: ['2026-03-01T12:00:00Z'] })),
  }),
);

/** Requested number of messages, 1 by default (messaging contract 4.5). */
export const limitOf = (maxMessages: string): number => (/^[+-]?\d+$/.test(maxMessages) ? Math.max(1, Number(maxMessages)) : 1);

/** Only this exact text makes a pull wait (messaging contract 4.5). */
export const isWaiting = (returnImmediately: string): boolean => returnImmediately === 'false';

const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ]([01]?\d|2[0-3])(:[0-5]\d:[0-5]\d\.\d{3}Z)$/;

/**
 * Parses an instant to `YYYY-MM-DDTHH:MM:SS.sssZ`. Clients may write a blank for the `T`, and hours of one digit (messaging contract 4.7).
 * `undefined` if the text is not an instant.
 */
export const instantIn = (given: string): string | undefined => {
  const [, day, hour = '', rest] = INSTANT.exec(given) ?? [];
  return day !== undefined && isDay(day) ? `${day}T${hour.padStart(2, '0')}${rest}` : undefined;
};

const SOUGHT = /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?Z$/;

/** Later instants are texts of another form, which do not compare. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** Target instant of a move as `YYYY-MM-DDTHH:MM:SS.sssZ`, rounded up; `undefined` if the text is not an instant. */
export const soughtIn = (given: string): string | undefined => {
  const [, day, time, fraction = ''] = SOUGHT.exec(given) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const beyond = /[1-9]/.test(fraction.slice(3));
  const instant = new Date(`${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  return new Date(Math.min(instant.getTime() + (beyond ? 1 : 0), LATEST)).toISOString();
};
