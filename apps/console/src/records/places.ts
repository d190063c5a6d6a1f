import { encoded } from '../api/client.js';
import { mayAudit, type Session } from '../api/session.js';
import { placeOf } from '../place.js';

/** A record as auditors ask for it. */
export type Reference = Readonly<{ service: string; kind: string; id: string; scope?: string | null | undefined }>;

/** Address of the versions of a record, for auditors. `more`: further members of the query. */
export const versionsPlace = ({ service, kind, id, scope }: Reference, more: Readonly<Record<string, string | undefined>> = {}): string =>
  placeOf(`/resources/${[service, kind, id].map(encoded).join('/')}`, { scope: scope ?? undefined, ...more });

/** Address of a record: its versions for auditors, for others the events that changed it. */
export const recordPlace = (record: Reference, session: Session): string => {
  const { service, kind, id, scope } = record;
  return mayAudit(session)
    ? versionsPlace(record)
    : placeOf('/events', { record: [service, kind, ...(scope ? [scope] : []), id].join('/') });
};

/** Address of a project of messaging, or with `topics` or `subscriptions` and a name of a record in it. */
export const messagingPlace = (...parts: readonly string[]): string => placeOf(`/messaging/${parts.map(encoded).join('/')}`);

/** Address of an actor: its page for auditors, for others its events. */
export const actorPlace = ({ kind, id }: Readonly<{ kind?: string; id: string }>, session: Session): string =>
  mayAudit(session) ? placeOf(`/actors/${encoded(id)}`, { kind }) : placeOf('/events', { actor: id });
