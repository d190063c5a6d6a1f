import type { Position } from '#domain/shared/events.js';

/** Name of the header in requests. */
export const AS_OF = 'logbook-as-of';

/** Requested state: after the last event up to an instant (milliseconds since 1970-01-01 UTC), or up to a position. */
export type AsOf = Readonly<{ kind: 'instant'; milliseconds: number } | { kind: 'position'; position: Position }>;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(\d{1,9}))?Z$/;
/** At most 20 digits, which hold 64 bits. */
const POSITION = /^(?:0|[1-9]\d{0,19})$/;
/** A log counts its positions in 64 bits. */
const LARGEST = 2n ** 64n;

/** Digits of a fraction beyond milliseconds are cut off, because log times have none. */
const instantIn = (text: string): number | undefined => {
  const [, fraction = ''] = INSTANT.exec(text) ?? [];
  if (!INSTANT.test(text)) return undefined;
  const milliseconds = Date.parse(`${text.slice(0, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  // Date.parse converts the 30th of February to a day of March.
  return new Date(milliseconds || 0).toISOString().slice(0, 19) === text.slice(0, 19) ? milliseconds : undefined;
};

/** `undefined` for a value that is neither an instant in UTC nor a position, such as a header that was sent twice. */
export const asOfIn = (value: string | readonly string[] | undefined): AsOf | undefined => {
  if (typeof value !== 'string') return undefined;
  if (POSITION.test(value)) {
    const position = BigInt(value);
    return position < LARGEST ? { kind: 'position', position } : undefined;
  }
  const milliseconds = instantIn(value);
  return milliseconds === undefined ? undefined : { kind: 'instant', milliseconds };
};
