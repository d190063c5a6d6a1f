import type { InstallationContent } from '#projections/accounting/catalogue/queries.js';
import type { DefinitionDocument } from '#projections/accounting/definitions/queries.js';

/** A member that is omitted if it has no value. */
export const present = (member: string, value: unknown): object => (value === null || value === undefined ? {} : { [member]: value });

/** Name of the member with the id of an installation; it differs in searches. */
export type InstallationIdName = 'id' | 'installation_id';

/** An installation in a response; `definition` is its unit of access (accounting contract 3.0). */
export const installationView = (
  installation: InstallationContent,
  definition: DefinitionDocument | undefined,
  idName: InstallationIdName = 'id',
): object => {
  const { id, project, organisation, infrastructure, installation: name, resource, external_id } = installation;
  return {
    [idName]: id,
    project,
    organisation,
    infrastructure,
    installation: name,
    ...present('resource', resource),
    external_id,
    ...present('unit_of_access', definition),
  };
};
