import { storedObjectId } from '#domain/accounting/object-id.js';
import { type Window, type WindowOf, windowOn } from '#projections/accounting/list-windows.js';
import type { Collection } from '#projections/shared/collection.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  ACCESS,
  type AccessConfiguration,
  assignments,
  broughtOver,
  clients,
  configuration,
  type EntitlementView,
  entitlements,
  entitlementsById,
  holders,
  type OidcTenantView,
  ONLY,
  oidcTenants,
  oidcTenantsById,
} from './documents.js';

export {
  ACCESS,
  type AccessConfiguration,
  type EntitlementView,
  HIDDEN_SECRET,
  type OidcTenantView,
} from './documents.js';

/** Clients with what they hold, entitlements, OIDC tenants and settings. Lists are in the order of creation. */
export class AccessQueries extends queriesOf(ACCESS) {
  /** As they stand in an answer. */
  clients(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, clients, {}, window);
  }

  /** As they stand in an answer. */
  entitlements(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, entitlements, {}, window);
  }

  /** Who holds which entitlement, as it stands in an answer. */
  assignments(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, assignments, {}, window);
  }

  /** As they stand in an answer. */
  oidcTenants(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, oidcTenants, {}, window);
  }

  async entitlement(id: string): Promise<EntitlementView | undefined> {
    return (await this.byId(entitlementsById, id))?.view;
  }

  async oidcTenant(id: string): Promise<OidcTenantView | undefined> {
    return (await this.byId(oidcTenantsById, id))?.view;
  }

  /** Id of a client that was brought over with another one than `ownId`, the one that follows from its claims; `undefined` for all others. */
  async broughtOver(ownId: string): Promise<string | undefined> {
    return (await broughtOver.get(this.view, ownId))?.actorId;
  }

  /** Ids of the entitlements of a client in the order of assignment; `undefined` for an unknown client. */
  async assignedTo(clientId: string): Promise<readonly string[] | undefined> {
    const holder = await this.byId(holders, clientId);
    return holder?.assigned.map(({ entitlementId }) => entitlementId);
  }

  /** In the order of the ids; unknown ones are left out. */
  async entitlementsById(ids: readonly string[]): Promise<readonly EntitlementView[]> {
    const found = ids.length === 0 ? [] : await entitlementsById.getMany(this.view, ids);
    return found.flatMap((document) => document?.view ?? []);
  }

  /** `undefined` before anything was changed. */
  configuration(): Promise<AccessConfiguration | undefined> {
    return configuration.get(this.view, ONLY);
  }

  private async byId<Document>(collection: Collection<Document>, id: string): Promise<Document | undefined> {
    const stored = storedObjectId(id);
    return stored === undefined ? undefined : collection.get(this.view, stored);
  }
}
