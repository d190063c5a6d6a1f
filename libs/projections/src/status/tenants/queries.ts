import type { Readiness } from '#domain/status/tenants/readiness.js';
import { inPages, pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';
import {
  type ApiKeyDocument,
  type NamedTenantDocument,
  TENANTS,
  type TenantDocument,
  type TenantUserDocument,
  tenantCollections,
} from './documents.js';

export { type ApiKeyDocument, type NamedTenantDocument, TENANTS, type TenantDocument, type TenantUserDocument } from './documents.js';

const { tenants, users, apiKeys, engineStatus, names, readiness } = tenantCollections;

/** Range of all tenant keys, which are UUIDs. */
const EVERY_TENANT = { gte: '0', lt: 'g' } as const;

/** Tenants that are read together. Each may have many users. */
const TENANTS_AT_ONCE = 10;

export class TenantQueries extends queriesOf(TENANTS) {
  async hasTenants(): Promise<boolean> {
    return (await this.view.range(tenants.name, { limit: 1 })).length > 0;
  }

  tenant(tenantId: string): Promise<TenantDocument | undefined> {
    return tenants.get(this.view, tenantId);
  }

  /** A user of any tenant. */
  user(userId: string): Promise<TenantUserDocument | undefined> {
    return users.get(this.view, userId);
  }

  /** Users of any tenants, in the order of the ids; `undefined` in place of those that do not exist. */
  async users(userIds: readonly string[]): Promise<readonly ((TenantUserDocument & Readonly<{ tenantId: string }>) | undefined)[]> {
    return userIds.length === 0 ? [] : users.getMany(this.view, userIds);
  }

  /** The user with the API key of this hash. */
  apiKeyHolder(hash: string): Promise<ApiKeyDocument | undefined> {
    return apiKeys.get(this.view, hash);
  }

  /** The engine status in the format of a record in a list. `null` if the engine has not reported it yet. */
  engineStatus(tenantId: string): Promise<Buffer | null> {
    return engineStatus.bytes(this.view, tenantId);
  }

  named(name: string): Promise<NamedTenantDocument | undefined> {
    return names.get(this.view, name);
  }

  /** `undefined` before it is first reported. */
  readiness(tenantId: string): Promise<Readiness | undefined> {
    return readiness.get(this.view, tenantId);
  }

  /** All tenants in order of creation, in pages: first the order of each is read, then those that are still there. */
  async *byCreation(slice: Slice): AsyncGenerator<readonly TenantDocument[]> {
    const all: Readonly<{ id: string; order: string; bytes: number }>[] = [];
    for await (const page of pagesOf(this.view, tenants.name, EVERY_TENANT, { slice }))
      for (const { key, value } of page) all.push({ id: key, order: tenants.parse(value).order, bytes: value.length });
    await sortInSlices(all, (one, other) => (one.order < other.order ? -1 : 1), slice);
    for await (const page of inPages(all, ({ bytes }) => bytes, slice)) {
      const ids = page.map(({ id }) => id);
      yield (await tenants.getMany(this.view, ids)).filter((tenant) => tenant !== undefined);
    }
  }

  /** The names of tenants in the order of the ids. `undefined` for a deleted tenant. */
  async names(tenantIds: readonly string[], slice: Slice): Promise<readonly (string | undefined)[]> {
    const all: (string | undefined)[] = [];
    for (let start = 0; start < tenantIds.length; start += TENANTS_AT_ONCE) {
      const found = await tenants.getMany(this.view, tenantIds.slice(start, start + TENANTS_AT_ONCE));
      all.push(...found.map((tenant) => tenant?.info.name));
      if (slice.isOver) await slice.next();
    }
    return all;
  }

  async idsByName(wanted: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await names.getMany(this.view, wanted);
    return new Map(wanted.flatMap((name, index) => (found[index] ? [[name, found[index].tenantId] as const] : [])));
  }
}
