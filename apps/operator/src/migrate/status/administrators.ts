import { isKeyRole } from '#domain/operations/access-keys.js';
import { DocumentRefused } from '#operator/migrate/migration.js';
import { type Fields, flagIn, textIn } from '#operator/migrate/read/fields.js';

/** An administrator of the original, or an integration: the key grants the rights of the role. */
type Administrator = Readonly<{ apiKey: string; name: string; role: string }>;

/** The key of an integration has its `component` as its only role, whatever its flags say. @throws Refused */
const roleIn = (fields: Fields): string => {
  const component = textIn(fields, 'component');
  if (component !== '') {
    if (!component.startsWith('component_') || !isKeyRole('status', component))
      throw new DocumentRefused('it is the key of an integration that Logbook does not know');
    return component;
  }
  if (flagIn(fields, 'restricted')) return 'super_admin_restricted';
  return flagIn(fields, 'super_admin_ui') ? 'super_admin_ui' : 'super_admin';
};

/** @throws Refused, WrongField */
export const administrator = (fields: Fields): Administrator => {
  const apiKey = textIn(fields, 'api_key') || textIn(fields, 'apiKey'); // the older name
  if (apiKey === '') throw new DocumentRefused('it has no api_key');
  return { apiKey, name: textIn(fields, 'name'), role: roleIn(fields) };
};
