import { byBytes } from '#domain/shared/text/text-order.js';
import { jsonText } from '#projections/shared/layout.js';

/** JSON with three spaces per level, used for most bodies of the messaging service (messaging contract 0.3, `J3`). */
export const j3 = (value: unknown): string => jsonText(value, 3);
/** JSON with four spaces per level (`J4`). */
export const j4 = (value: unknown): string => jsonText(value, 4);
/** JSON with one space per level (`J1`). */
export const j1 = (value: unknown): string => jsonText(value, 1);
/** Compact JSON (`JC`). */
export const jc = (value: unknown): string => jsonText(value, 0);

/**
 * The member `attributes` of a message, followed by a comma. Empty if there are none. Keys are in byte order (messaging contract 0.3); an object
 * would put numeric keys first.
 */
export const attributesMember = (attributes: Readonly<Record<string, string>> | undefined): string => {
  if (attributes === undefined) return '';
  const members = Object.keys(attributes).sort(byBytes);
  return `"attributes":{${members.map((name) => `${jc(name)}:${jc(attributes[name])}`).join()}},`;
};

/** Converts an instant from `YYYY-MM-DDTHH:MM:SS.sssZ` to `YYYY-MM-DDTHH:MM:SSZ`. */
export const wireInstant = (instant: string): string => `${instant.slice(0, 19)}Z`;

/** Position of a record in order of creation within its stream: 24 hex digits that sort like numbers. */
export const orderOf = (revision: bigint): string => revision.toString(16).padStart(24, '0');
