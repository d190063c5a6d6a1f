import { encoded } from '../../api/client.js';
import { placeOf } from '../../place.js';

/** A record as auditors ask for it. */
export type Reference = Readonly<{ service: string; kind: string; id: string; scope?: string | null | undefined }>;

/** Address of its versions. `more`: further members of the query. */
export const resourcePlace = ({ service, kind, id, scope }: Reference, more: Readonly<Record<string, string | undefined>> = {}): string =>
  placeOf(`/resources/${[service, kind, id].map(encoded).join('/')}`, { scope: scope ?? undefined, ...more });
