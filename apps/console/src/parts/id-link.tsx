import type { Session } from '../api/session.js';
import type { ReferredRecord, ValuePlace } from '../records/ids.js';
import { messagingPlace, recordPlace } from '../records/places.js';
import { NameOfRecord } from './name.js';

/** The place in which ids are links, and the session of their reader. */
export type LinkedIds = Readonly<{ spot: ValuePlace; session: Session }>;

/** A full name, or an id with the name of its record, as a link to what it stands for. */
export const IdLink = ({ meant, session }: Readonly<{ meant: ReferredRecord; session: Session }>) =>
  'fullName' in meant ? (
    <a href={messagingPlace(...meant.fullName.replace(/^\/?projects\//, '').split('/'))}>{meant.fullName}</a>
  ) : (
    <a href={recordPlace(meant, session)}>
      <NameOfRecord {...meant} />
    </a>
  );
