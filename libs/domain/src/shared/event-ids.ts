import type { RecordedEvent } from './events.js';

/** Hexadecimal digits at the end of an id that count the events of a command. */
const DIGITS = 12;
const NUMBERS = 16 ** DIGITS;

const numberIn = (id: string): number => Number.parseInt(id.slice(-DIGITS), 16);

/** Common part of the ids of the events of one command. */
export const commandPartOf = (id: string): string => id.slice(0, -DIGITS);

/** The next id of the same command. The first one is random. */
export const nextEventId = (id: string): string => commandPartOf(id) + ((numberIn(id) + 1) % NUMBERS).toString(16).padStart(DIGITS, '0');

/**
 * Whether two events, in log order, are of one command, which appended them at once: their ids count as their revisions do. Events of
 * releases up to 1.0.0 have random ids, so each is alone.
 */
export const isOfSameAppend = (
  { stream, revision, id }: Pick<RecordedEvent, 'stream' | 'revision' | 'id'>,
  later: Pick<RecordedEvent, 'stream' | 'revision' | 'id'>,
): boolean =>
  stream === later.stream &&
  later.revision > revision &&
  commandPartOf(id) === commandPartOf(later.id) &&
  (numberIn(later.id) - numberIn(id) + NUMBERS) % NUMBERS === Number(later.revision - revision);
