import { Inject, Injectable } from '@nestjs/common';
import { LIVE_READ_STORE, READ_STORE } from '#api/shared/tokens.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type TenantDocument, TenantQueries, type TenantUserDocument } from '#projections/status/tenants/queries.js';
import { tenantView, usesWebInterface, visibleUser } from './tenant-views.js';

/**
 * Tenants and users as an administrator may see them. A role that sees only users of the web interface sees those who are such users now,
 * also in reads of the past.
 */
@Injectable()
export class SeenTenants {
  /** `undefined` if the documents are those of now. */
  private readonly now: TenantQueries | undefined;

  constructor(@Inject(READ_STORE) store: ReadStore, @Inject(LIVE_READ_STORE) live: ReadStore) {
    this.now = live === store ? undefined : new TenantQueries(live);
  }

  /** `undefined` without permission. */
  async tenant(role: string | undefined, tenant: TenantDocument) {
    return tenantView(role, { ...tenant, users: await this.permitted(role, tenant.users) });
  }

  /** `undefined` without permission. */
  async user(role: string | undefined, user: TenantUserDocument) {
    const [permitted] = await this.permitted(role, [user]);
    return permitted && visibleUser(role, permitted);
  }

  private async permitted<User extends TenantUserDocument>(role: string | undefined, users: readonly User[]): Promise<readonly User[]> {
    if (role !== 'super_admin_ui' || !this.now) return users;
    const found = await this.now.users(users.map(({ id }) => id));
    return users.filter((_user, index) => found[index] && usesWebInterface(found[index]));
  }
}
