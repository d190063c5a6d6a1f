import { byBytes } from '#domain/shared/text-order.js';
import { jsonText } from '#projections/shared/layout.js';

/** JSON of most bodies of the messaging service: three spaces per level (messaging contract 0.3, `J3`). */
export const j3 = (value: unknown): string => jsonText(value, 3);
/** JSON with four spaces per level (`J4`). */
export const j4 = (value: unknown): string => jsonText(value, 4);
/** JSON with one space per level (`J1`). */
export const j1 = (value: unknown): string => jsonText(value, 1);
/** Compact JSON (`JC`). */
export const jc = (value: unknown): string => jsonText(value, 0);

/**
 * The member `attributes` of a message, with a comma after it; empty if there are none. Its keys are in the order of their bytes (messaging contract 0.3):
 * an object would put keys that are numbers first.
 */
export const attributesMember = (attributes: Readonly<Record<string, string>> | undefined): string => {
  if (attributes === undefined) return '';
  const members = Object.keys(attributes).sort(byBytes);
  return `"attributes":{${members.map((name) => `${jc(name)}:${jc(attributes[name])}`).join()}},`;
};

/** `YYYY-MM-DDTHH:MM:SSZ` of an instant `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export const wireInstant = (instant: string): string => `${instant.slice(0, 19)}Z`;

/** The place of a record among those of its stream, in the order of creation: 24 hex digits that sort like the numbers they stand for. */
export const orderOf = (revision: bigint): string => revision.toString(16).padStart(24, '0');
