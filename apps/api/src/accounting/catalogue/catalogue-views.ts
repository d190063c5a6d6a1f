import type { Static } from '#domain/shared/shape.js';
import type { InstallationContent } from '#projections/accounting/catalogue/queries.js';
import type { FOUND_INSTALLATION, INSTALLATION } from '#projections/accounting/components.js';
import type { DefinitionDocument } from '#projections/accounting/definitions/queries.js';

/** Name of the member with the id of an installation; it differs in searches. */
export type InstallationIdName = 'id' | 'installation_id';

/** An installation in a response, without its capacities; `definition` is its unit of access (accounting contract 3.0). */
export const installationView = (
  { id, project, organisation, infrastructure, installation, resource, external_id }: InstallationContent,
  definition: DefinitionDocument | undefined,
  idName: InstallationIdName = 'id',
): Omit<Static<typeof INSTALLATION | typeof FOUND_INSTALLATION>, 'capacities'> => ({
  ...(idName === 'id' ? { id } : { installation_id: id }),
  project,
  organisation,
  infrastructure,
  installation,
  resource: resource ?? undefined,
  external_id,
  unit_of_access: definition,
});
