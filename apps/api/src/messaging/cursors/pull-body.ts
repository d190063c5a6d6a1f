import { flag, integer64, list, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';

/** A text, as the original wants it, or a value of another kind, which is taken as its text. */
const textOr = (kind: 'number' | 'boolean', other: Shape<string> | Shape<boolean>): Shape<string> => ({
  zero: () => '',
  read: (reader) => (reader.kind() === kind ? String(other.read(reader)) : text.read(reader)),
  schema: text.schema,
});

export const pullBody = struct({ maxMessages: textOr('number', integer64), returnImmediately: textOr('boolean', flag) });
export const acknowledgeBody = struct({ ackIds: list(text) });
/** Beyond what a number holds an offset is out of bounds, not malformed. */
export const offsetBody = struct({ offset: integer64 });

/** How many messages a pull asks for: 1 unless it says so (messaging contract 4.5). */
export const limitOf = (maxMessages: string): number => (/^[+-]?\d+$/.test(maxMessages) ? Math.max(1, Number(maxMessages)) : 1);

const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)$/;

/** The two parts of an instant with milliseconds; clients write a blank for the `T` (messaging contract 4.7). */
export const instantParts = (time: string): readonly [day: string, time: string] | undefined => {
  const [, day, clock] = INSTANT.exec(time) ?? [];
  return day !== undefined && clock !== undefined ? [day, clock] : undefined;
};
