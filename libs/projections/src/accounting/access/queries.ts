import { storedObjectId } from '#domain/accounting/object-id.js';
import { parsedIn } from '#projections/accounting/document-batches.js';
import { type Window, type WindowOf, windowOn } from '#projections/accounting/list-windows.js';
import type { Collection } from '#projections/shared/collection.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  ACCESS,
  type AccessConfiguration,
  assignments,
  broughtOver,
  type ClientView,
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
  type ClientView,
  type EntitlementView,
  HIDDEN_SECRET,
  type OidcTenantView,
} from './documents.js';

/** Clients with their entitlements, OIDC tenants and settings. Lists are in order of creation. */
export class AccessQueries extends queriesOf(ACCESS) {
  /** In the format of answers. */
  clients(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, clients, {}, window);
  }

  /** All clients, in batches. */
  allClients(): AsyncGenerator<readonly ClientView[]> {
    return parsedIn(this.view, clients);
  }

  /** In the format of answers. */
  entitlements(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, entitlements, {}, window);
  }

  /** Assignments of entitlements to clients, in the format of answers. */
  assignments(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, assignments, {}, window);
  }

  /** In the format of answers. */
  oidcTenants(window: Window): Promise<WindowOf<Buffer>> {
    return windowOn(this.view, oidcTenants, {}, window);
  }

  /** All OIDC tenants, in batches. */
  allOidcTenants(): AsyncGenerator<readonly OidcTenantView[]> {
    return parsedIn(this.view, oidcTenants);
  }

  async entitlement(id: string): Promise<EntitlementView | undefined> {
    return (await this.byId(entitlementsById, id))?.view;
  }

  async oidcTenant(id: string): Promise<OidcTenantView | undefined> {
    return (await this.byId(oidcTenantsById, id))?.view;
  }

  /** Id of a migrated client whose id differs from `ownId`, the id derived from its claims. `undefined` for all other clients. */
  async broughtOver(ownId: string): Promise<string | undefined> {
    return (await broughtOver.get(this.view, ownId))?.actorId;
  }

  /** By id; `undefined` in place of unknown ones. Documents of earlier versions do not lead to the client. */
  async clientsById(ids: readonly string[]): Promise<readonly (ClientView | undefined)[]> {
    const found = await this.several(holders, ids);
    const places = found.flatMap((holder) => holder?.place ?? []);
    const byId = new Map((await this.several(clients, places)).map((client) => [client?.id, client]));
    return ids.map((id) => byId.get(id));
  }

  /** Ids of a client's entitlements in order of assignment. `undefined` for an unknown client. */
  async assignedTo(clientId: string): Promise<readonly string[] | undefined> {
    const holder = await this.byId(holders, clientId);
    return holder?.assigned.map(({ entitlementId }) => entitlementId);
  }

  /** In the order of the ids. Unknown ids are skipped. */
  async entitlementsById(ids: readonly string[]): Promise<readonly EntitlementView[]> {
    const found = await this.several(entitlementsById, ids);
    return found.flatMap((document) => document?.view ?? []);
  }

  /** `undefined` before the first change. */
  configuration(): Promise<AccessConfiguration | undefined> {
    return configuration.get(this.view, ONLY);
  }

  private async several<Document>(collection: Collection<Document>, ids: readonly string[]): Promise<readonly (Document | undefined)[]> {
    return ids.length === 0 ? [] : collection.getMany(this.view, ids);
  }

  private async byId<Document>(collection: Collection<Document>, id: string): Promise<Document | undefined> {
    const stored = storedObjectId(id);
    return stored === undefined ? undefined : collection.get(this.view, stored);
  }
}
