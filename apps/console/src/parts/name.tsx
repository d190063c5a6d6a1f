import { useEffect, useState } from 'preact/hooks';
import { type NamedKind, type NamedRecord, nameKnown, onNames, type RecordName, wantNames } from '../api/names.js';

/** What is known of the name of a record. */
type Naming = Readonly<{ text: string; name?: RecordName | undefined }>;

/**
 * Names of all records of a page, which the server is asked for once. Texts are `…` until they are known, and ids where there is no name.
 */
const useNames = (records: readonly NamedRecord[]): ((record: NamedRecord) => Naming) => {
  const [, setTurn] = useState(0);
  const asked = JSON.stringify(records.map(({ kind, id }) => [kind, id]));
  useEffect(() => {
    wantNames(records);
    return onNames(() => setTurn((turn) => turn + 1));
  }, [asked]);
  return (record) => {
    const found = nameKnown(record);
    return { text: found ? (found.name?.name ?? record.id) : '…', name: found?.name };
  };
};

/** Current name of a record, with its id as title. `actor`: a key or a user of any service. */
export const Name = ({ kind, id }: Readonly<{ kind: NamedKind; id: string }>) => {
  const record = { kind, id };
  const { text } = useNames([record])(record);
  return <span title={id}>{text}</span>;
};

/** Whoever caused an event. Names of keys come with them. */
export const ActorName = ({
  actor: { kind, id = '', name },
}: Readonly<{ actor: Readonly<{ kind?: string; id?: string; name?: string | null }> }>) =>
  kind === 'user' ? <Name kind="actor" id={id} /> : <span title={id}>{name ?? id}</span>;
