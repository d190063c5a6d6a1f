import { encoded } from '../../api/client.js';
import { placeOf } from '../../place.js';

/** A record as auditors ask for it. */
export type Reference = Readonly<{ service: string; kind: string; id: string; scope?: string | null | undefined }>;

/** Address of its versions. `more`: further members of the query. */
export const resourcePlace = ({ service, kind, id, scope }: Reference, more: Readonly<Record<string, string | undefined>> = {}): string =>
  placeOf(`/resources/${[service, kind, id].map(encoded).join('/')}`, { scope: scope ?? undefined, ...more });

/** What a field for a moment of the log takes. */
export const MOMENTS = '2026-03-01 12:00 (UTC), or a position; empty: now';

/** Whether a text is a moment of the log: an instant in UTC, or a position. */
export const isMoment = (text: string): boolean =>
  /^\d+$/.test(text) || (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)));
