import { Refused } from '#api/cli/migrate/migration.js';
import { type Fields, flagIn, textIn } from '#api/cli/migrate/read/fields.js';

/** An administrator of the original: who holds this key may do what the role says. */
export type Administrator = Readonly<{ apiKey: string; name: string; role: 'super_admin' | 'super_admin_restricted' | 'super_admin_ui' }>;

const roleIn = (fields: Fields): Administrator['role'] => {
  if (flagIn(fields, 'restricted')) return 'super_admin_restricted';
  return flagIn(fields, 'super_admin_ui') ? 'super_admin_ui' : 'super_admin';
};

/** The key of an integration is no administrator's: its role is its `component`. @throws Refused, WrongField */
export const administrator = (fields: Fields): Administrator => {
  if (textIn(fields, 'component') !== '') throw new Refused('it is the key of an integration: Logbook has no role for that');
  const apiKey = textIn(fields, 'api_key') || textIn(fields, 'apiKey'); // the older name
  if (apiKey === '') throw new Refused('it has no api_key');
  return { apiKey, name: textIn(fields, 'name'), role: roleIn(fields) };
};
