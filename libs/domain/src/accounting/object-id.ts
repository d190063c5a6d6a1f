import { type Day, dayOf } from '#domain/shared/time.js';

const OBJECT_ID = /^[0-9a-f]{24}$/i;

/** A new id: 24 lower-case hex characters, of which the first 8 are the seconds of its creation. */
export const objectId = (milliseconds: number, random: string): string =>
  Math.floor(milliseconds / 1_000)
    .toString(16)
    .padStart(8, '0') + random;

/** The id in its stored form. `undefined` for a text that cannot be an id. */
export const storedObjectId = (text: string): string | undefined => (OBJECT_ID.test(text) ? text.toLowerCase() : undefined);

/** The UTC day on which the id was generated. */
export const dayMade = (id: string): Day => dayOf(new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000).toISOString());
