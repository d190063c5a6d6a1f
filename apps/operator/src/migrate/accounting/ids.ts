import { storedObjectId } from '#domain/accounting/object-id.js';
import { DocumentRefused } from '../migration.js';
import { type Fields, idText } from '../read/fields.js';

/** The `_id` of a record that Logbook finds only by 24 hex characters. @throws Refused */
export const recordId = ({ _id }: Fields): string => {
  const id = storedObjectId(idText(_id) ?? '');
  if (id === undefined) throw new DocumentRefused('its _id is not 24 hexadecimal characters, and no record could be found by it');
  return id;
};

/** A member that refers to such a record, as text or ObjectId. @throws Refused */
export const referenceIn = (fields: Fields, name: string): string => {
  const id = storedObjectId(idText(fields[name]) ?? '');
  if (id === undefined) throw new DocumentRefused(`${name} is not 24 hexadecimal characters`);
  return id;
};

/** The `_id` of a record whose id can have any form. @throws Refused */
export const anyId = ({ _id }: Fields): string => {
  const id = idText(_id);
  if (id === undefined) throw new DocumentRefused('its _id is not a text');
  return id;
};
