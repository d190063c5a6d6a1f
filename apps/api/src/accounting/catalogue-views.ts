import type {
  InstallationContent,
  InstallationDocument,
  ProjectDocument,
  ProviderDocument,
} from '#projections/accounting/catalogue-documents.js';
import type { DefinitionDocument } from '#projections/accounting/definitions.js';

/** Members that are left out when they have no value. */
const present = (member: string, value: unknown): object => (value === null || value === undefined ? {} : { [member]: value });

/** How the id of an installation is called: another way in what a search found. */
export type InstallationIdName = 'id' | 'installation_id';

/** An installation as it stands in a response; `definition` is its unit of access (accounting contract 3.0). */
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

/** An installation inside a project tree. */
const leafView = ({ id, infrastructure, installation, external_id, resource, unit_of_access }: InstallationDocument): object => ({
  id,
  infrastructure,
  installation,
  external_id,
  ...present('resource', resource),
  ...present('unit_of_access', unit_of_access),
});

/** A provider of a project with its installations there. */
export type ProviderBranch = Readonly<{ provider: ProviderDocument; installations: readonly InstallationDocument[] }>;
export type ProjectBranches = Readonly<{ project: ProjectDocument; providers: readonly ProviderBranch[] }>;

/** A project with its providers and their installations (accounting contract 3.0). */
export const projectTree = ({ project, providers }: ProjectBranches): object => {
  const { id, acronym, title, start_date, end_date, call_identifier } = project;
  return {
    id,
    acronym,
    title,
    start_date,
    end_date,
    call_identifier,
    providers: providers.map(({ provider, installations }) => {
      const { id: providerId, name, external_id, website, abbreviation, logo } = provider;
      return { id: providerId, name, external_id, website, abbreviation, logo, installations: installations.map(leafView) };
    }),
  };
};

/** A provider of one project, as an entry of the list of all of them (accounting contract 3.7). */
export const associationView = ({ id, acronym }: ProjectDocument, { provider, installations }: ProviderBranch): object => ({
  id: provider.id,
  name: provider.name,
  website: provider.website,
  abbreviation: provider.abbreviation,
  logo: provider.logo,
  project_id: id,
  project_acronym: acronym,
  installations: installations.map(leafView),
});
