import type { Installation, ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import {
  type AssociationDocument,
  catalogueCollections,
  type InstallationDocument,
  idKey,
  type ProjectDocument,
  placeInProject,
  placeInProvider,
  type ReferenceDocument,
  referenceKey,
} from '#projections/accounting/catalogue/catalogue-documents.js';
import type { EventOf } from '#projections/shared/define.js';
import { type DocumentChange, put, type ReadDocument, remove } from '#projections/shared/projection.js';

const {
  projects,
  contents,
  associations,
  installations,
  installationsByExternalId,
  installationsOfProject,
  installationsOfProvider,
  references,
} = catalogueCollections;

/** The log position of an event as text that sorts by it. */
export const orderOf = ({ position }: Readonly<{ position: bigint }>): string => position.toString().padStart(20, '0');

/** What a project refers to, by key of the collection of references. */
export type Contents = Readonly<{
  /** How many of its installations refer to it. */
  counts: Readonly<Record<string, number>>;
  /** Orders of its associations. */
  associations: Readonly<Record<string, string>>;
}>;

/** Empty as long as nothing is known. */
export const contentsOf = (projectId: string, read: ReadDocument): Contents =>
  (read(contents, idKey(projectId)) as Contents | undefined) ?? { counts: {}, associations: {} };

const referencesOf = ({ project, resource, unit_of_access }: InstallationDocument): string[] => [
  ...(resource === null ? [] : [referenceKey('resource', resource, project)]),
  ...(unit_of_access === null ? [] : [referenceKey('definition', unit_of_access, project)]),
];

const referred = (key: string, project: string): DocumentChange => put(references, key, { project } satisfies ReferenceDocument);

/** The references of a project after one of its installations came, went or changed. */
const recounted = (
  projectId: string,
  read: ReadDocument,
  before: InstallationDocument | undefined,
  after: InstallationDocument | undefined,
): DocumentChange[] => {
  const [left, entered] = [before, after].map((document) => (document ? referencesOf(document) : []));
  const known = contentsOf(projectId, read);
  const counts = new Map(Object.entries(known.counts));
  const touched = new Set([...(left ?? []), ...(entered ?? [])]);
  for (const key of entered ?? []) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of left ?? []) counts.set(key, (counts.get(key) ?? 0) - 1);
  const changes = [...touched].map((key) => ((counts.get(key) ?? 0) > 0 ? referred(key, projectId) : remove(references, key)));
  const kept = Object.fromEntries([...counts].filter(([, count]) => count > 0));
  return touched.size === 0 ? [] : [...changes, put(contents, idKey(projectId), { ...known, counts: kept } satisfies Contents)];
};

const installationWritten = (document: InstallationDocument): DocumentChange[] => [
  put(installations, document.id, document),
  put(installationsOfProject, placeInProject(document), document),
  put(installationsOfProvider, placeInProvider(document), document),
];

const withContent = (
  document: Omit<InstallationDocument, 'organisation' | 'infrastructure' | 'installation' | 'resource' | 'unit_of_access'>,
  { organisation, infrastructure, installation, resource, unitOfAccess }: Installation,
): InstallationDocument => ({ ...document, organisation, infrastructure, installation, resource, unit_of_access: unitOfAccess });

const associated = (
  event: Extract<EventOf<ProjectEvent>, { type: 'ProviderAssociated' | 'ProviderDissociated' }>,
  project: ProjectDocument,
  read: ReadDocument,
): DocumentChange[] => {
  const { projectId, providerId } = event.data;
  const key = referenceKey('provider', providerId, projectId);
  const known = contentsOf(projectId, read);
  const { [key]: order = orderOf(event), ...others } = known.associations;
  const place = `${project.order}/${order}`;
  if (event.type === 'ProviderDissociated')
    return [
      remove(associations, place),
      remove(references, key),
      put(contents, idKey(projectId), { ...known, associations: others } satisfies Contents),
    ];
  const document: AssociationDocument = { project_id: projectId, provider_id: providerId };
  return [
    put(associations, place, document),
    referred(key, projectId),
    put(contents, idKey(projectId), { ...known, associations: { ...others, [key]: order } } satisfies Contents),
  ];
};

const installationRemoved = (document: InstallationDocument): DocumentChange[] => [
  remove(installations, document.id),
  remove(installationsByExternalId, idKey(document.external_id)),
  remove(installationsOfProject, placeInProject(document)),
  remove(installationsOfProvider, placeInProvider(document)),
];

/** What an event of a project changes; nothing when the project was deleted in the meantime. */
export const applyToProject = (event: EventOf<ProjectEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const { projectId, generation } = event.data;
  const project = read(projects, idKey(projectId)) as ProjectDocument | undefined;
  if (project?.generation !== generation) return [];
  switch (event.type) {
    case 'ProviderAssociated':
    case 'ProviderDissociated':
      return associated(event, project, read);
    case 'InstallationCreated': {
      const { installationId: id, externalId: external_id, creatorId: creator_id } = event.data;
      const place = { id, project: projectId, generation, projectOrder: project.order, order: orderOf(event), external_id, creator_id };
      const after = withContent(place, event.data);
      return [
        ...installationWritten(after),
        put(installationsByExternalId, idKey(external_id), id),
        ...recounted(projectId, read, undefined, after),
      ];
    }
    case 'InstallationRevised': {
      const before = read(installations, event.data.installationId) as InstallationDocument;
      const after = withContent(before, event.data);
      return [
        remove(installationsOfProvider, placeInProvider(before)),
        ...installationWritten(after),
        ...recounted(projectId, read, before, after),
      ];
    }
    case 'InstallationDeleted': {
      const before = read(installations, event.data.installationId) as InstallationDocument;
      return [...installationRemoved(before), ...recounted(projectId, read, before, undefined)];
    }
  }
};
