import { useEffect, useState } from 'preact/hooks';
import { type NamedKind, type NamedRecord, nameKnown, onNames, type RecordName, wantNames } from '../api/names.js';
import { namedOf } from '../records/named.js';
import type { Reference } from '../records/places.js';

/** What is known of the name of a record. */
type Naming = Readonly<{ text: string; name?: RecordName | undefined }>;

/**
 * Names of all records of a page, which the server is asked for once. Texts are `…` until they are known, and ids where there is no name.
 */
export const useNames = (records: readonly NamedRecord[]): ((record: NamedRecord) => Naming) => {
  const [, setTurn] = useState(0);
  const asked = JSON.stringify(records.map(({ kind, id }) => [kind, id]));
  useEffect(() => {
    wantNames(records);
    return onNames(() => {
      wantNames(records); // of those that are known nothing is asked
      setTurn((turn) => turn + 1);
    });
  }, [asked]);
  return (record) => {
    const found = nameKnown(record);
    return { text: found ? (found.name?.name ?? record.id) : '…', name: found?.name };
  };
};

type NameProps = Readonly<{
  kind: NamedKind;
  id: string;
  /** Default: the id. */
  title?: string;
}>;

/** Current name of a record, with its id as title. `actor`: a key or a user of any service. */
export const Name = ({ kind, id, title = id }: NameProps) => {
  const record = { kind, id };
  const { text } = useNames([record])(record);
  return <span title={title}>{text}</span>;
};

/** Current name of any record, as an event refers to it; its id where its kind has no names. */
export const NameOfRecord = (record: Reference) => {
  const named = namedOf(record);
  return named ? <Name {...named} title={record.id} /> : <span title={record.id}>{record.id}</span>;
};

/** Tenant or project of a record, if it has one and is still there; otherwise its service. */
export const PlaceOfRecord = (record: Reference) => {
  const named = namedOf(record);
  const nameOf = useNames(named ? [named] : []);
  return <>{(named && nameOf(named).name?.place) || record.service}</>;
};

type Actor = Readonly<{ kind?: string; id?: string; name?: string | null }>;

/** The server is asked for names of users, and of keys that come without one. */
const isAskedFor = ({ kind, name }: Actor): boolean => kind === 'user' || (kind === 'key' && !name);

/** The actor that caused an event. */
export const ActorName = ({ actor }: Readonly<{ actor: Actor }>) => {
  const { id = '', name } = actor;
  return isAskedFor(actor) ? <Name kind="actor" id={id} /> : <span title={id}>{name ?? id}</span>;
};

/** The same as a text. */
export const useActorName = (actor: Actor = {}): string => {
  const { id = '', name } = actor;
  const record = { kind: 'actor', id } as const;
  const nameOf = useNames(isAskedFor(actor) ? [record] : []);
  return isAskedFor(actor) ? nameOf(record).text : (name ?? id);
};
