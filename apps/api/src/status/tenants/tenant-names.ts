import { pagesOf } from '#api/status/stored-documents.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { type TenantDocument, tenantCollections } from '#projections/status/tenants/tenants.js';

/** Every tenant: their ids are UUIDs. */
export const EVERY_TENANT = { gte: '0', lt: 'g' } as const;

/** Tenants may have many users: so few are read in one go. */
const AT_ONCE = 10;

const nameIn = (bytes: Buffer): string => (JSON.parse(bytes.toString('utf8')) as TenantDocument).info.name;

/** The names of tenants in the order of their ids; nothing in place of a tenant that is gone. `view`: of the tenants' projection. */
export const namesOfTenants = async (view: ReadView, ids: readonly string[]): Promise<readonly (string | undefined)[]> => {
  const slice = new TimeSlice();
  const names: (string | undefined)[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const found = await view.getMany(tenantCollections.tenants, ids.slice(start, start + AT_ONCE));
    names.push(...found.map((bytes) => (bytes ? nameIn(bytes) : undefined)));
    if (slice.isOver) await slice.next();
  }
  return names;
};

/** The ids of tenants by their names, which are unique; looks through all tenants: for rare writes only. `view`: of the tenants' projection. */
export const idsByTenantName = async (view: ReadView, names: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
  const ids = new Map<string, string>();
  for await (const page of pagesOf(view, tenantCollections.tenants, EVERY_TENANT)) {
    for (const { key, value } of page) {
      const name = nameIn(value);
      if (names.has(name)) ids.set(name, key);
    }
    if (ids.size === names.size) break;
  }
  return ids;
};
