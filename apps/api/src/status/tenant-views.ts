import type { TenantDocument } from '#projections/status/tenants.js';

/**
 * What an administrator sees of a tenant (status contract 8.3): everything; or id, info and topology only; or those of tenants
 * with web-interface users, with just these users. Nothing: the tenant is not visible to the role. Empty parts are left out.
 */
export const tenantView = (role: string | undefined, tenant: TenantDocument): object | undefined => {
  const { id, info, topology, db_conf, users } = tenant;
  if (role === 'super_admin') return { id, info, ...nonEmpty('db_conf', db_conf), topology, ...nonEmpty('users', users.map(userView)) };
  if (role === 'super_admin_restricted') return { id, info, topology };
  const shown = users.filter(({ roles }) => roles.includes('admin_ui'));
  return shown.length > 0 ? { id, info, topology, users: shown.map(userView) } : undefined;
};

const userView = ({ id, name, email, api_key, roles }: TenantDocument['users'][number]): object => ({
  id,
  name,
  email,
  api_key,
  ...nonEmpty('roles', roles),
});

const nonEmpty = (member: string, values: readonly unknown[]): object => (values.length > 0 ? { [member]: values } : {});
