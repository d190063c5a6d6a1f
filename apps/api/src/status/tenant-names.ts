import type { ReadView } from '#projections/shared/read-store.js';
import { type TenantDocument, tenantCollections } from '#projections/status/tenants.js';

const parse = (bytes: Buffer): TenantDocument => JSON.parse(bytes.toString('utf8')) as TenantDocument;

/** The names of tenants in the order of their ids; nothing in place of a tenant that is gone. `view`: of the tenants' projection. */
export const namesOfTenants = async (view: ReadView, ids: readonly string[]): Promise<readonly (string | undefined)[]> =>
  (await view.getMany(tenantCollections.tenants, ids)).map((bytes) => (bytes ? parse(bytes).info.name : undefined));

/** The id of every tenant by its name, which is unique. Looks at all tenants: for rare writes only. `view`: of the tenants' projection. */
export const idsByTenantName = async (view: ReadView): Promise<ReadonlyMap<string, string>> =>
  new Map((await view.range(tenantCollections.tenants, {})).map(({ key, value }) => [parse(value).info.name, key]));
