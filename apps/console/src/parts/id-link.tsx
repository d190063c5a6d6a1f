import type { Session } from '../api/session.js';
import type { Spot } from '../records/ids.js';
import { type Reference, recordPlace } from '../records/places.js';
import { NameOfRecord } from './name.js';

/** The place in which ids are links, and the session of their reader. */
export type LinkedIds = Readonly<{ spot: Spot; session: Session }>;

/** An id as a link to the record that it stands for, with its name. */
export const IdLink = ({ meant, session }: Readonly<{ meant: Reference; session: Session }>) => (
  <a href={recordPlace(meant, session)}>
    <NameOfRecord {...meant} />
  </a>
);
