import { byMember, memberOf, partitionOf, type StoredFact } from '#projections/shared/partitions.js';

export const PROJECT = 'project';
export const PROVIDER = 'provider';
export const RESOURCE = 'resource';
export const DEFINITION = 'definition';
export const TYPE = 'type';
export const CLIENT = 'client';
export const ENTITLEMENT = 'entitlement';
export const OIDC_TENANT = 'oidc-tenant';
const SETTINGS = 'settings';

/** The project, if the event has one; otherwise the provider, under its old and new id, or the resource. */
export const ofCatalogueEvent = (event: StoredFact): readonly string[] => {
  const partitions = byMember(event, { projectId: PROJECT, providerId: PROVIDER, resourceId: RESOURCE });
  const renamed = partitions[0]?.startsWith(`${PROVIDER}:`) ? partitionOf(PROVIDER, memberOf(event.data, 'newId')) : undefined;
  return renamed === undefined || partitions.includes(renamed) ? partitions : [...partitions, renamed];
};

/** The client, with its assignments, entitlement or OIDC tenant of the event; otherwise all settings. */
export const ofAccessEvent = (event: StoredFact): readonly string[] => {
  const partitions = byMember(event, { actorId: CLIENT, entitlementId: ENTITLEMENT, oidcTenantId: OIDC_TENANT });
  return partitions.length === 0 && typeof memberOf(event.data, 'key') === 'string' ? [SETTINGS] : partitions;
};

export const ofDefinitionEvent = (event: StoredFact): readonly string[] => byMember(event, { definitionId: DEFINITION, typeId: TYPE });

/** The project with all its records; otherwise the metric definition. */
export const ofUsageEvent = (event: StoredFact): readonly string[] => byMember(event, { projectId: PROJECT, definitionId: DEFINITION });
