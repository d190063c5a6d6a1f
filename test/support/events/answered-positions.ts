import type { Position } from '#domain/shared/events.js';

/** `Logbook-Position` of answers, by the id of the request. `null`: several requests had that id. */
export type Answered = ReadonlyMap<string, Position | null>;

const answered = new Map<string, Position | null>();

/** Of the answers to this suite's writes. */
export const answeredPositions: Answered = answered;

/** Remembers which position an answer names. */
export const noteAnswered = (headers: Headers): void => {
  const [requestId, position] = [headers.get('x-request-id'), headers.get('logbook-position')];
  if (requestId !== null && position !== null) answered.set(requestId, answered.has(requestId) ? null : BigInt(position));
};
