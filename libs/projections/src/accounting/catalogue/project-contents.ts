import type { Installation, InstallationClosing, ProjectRecordEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import { known } from '#projections/accounting/known.js';
import { orderOf } from '#projections/accounting/log-order.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, type Handlers, reading } from '#projections/shared/read-model.js';
import {
  associations,
  type ContentsDocument,
  contents,
  type InstallationDocument,
  installations,
  installationsByExternalId,
  installationsOfProject,
  installationsOfProvider,
  type ProjectDocument,
  projects,
  referenceKey,
  references,
} from './documents.js';

/** The events of a project that the catalogue uses. */
export type ContentsEvent = ProjectRecordEvent | Extract<InstallationClosing, { type: 'InstallationClosed' }>;

type Event<Type extends ContentsEvent['type']> = EventOf<Extract<ContentsEvent, { type: Type }>>;

/** Initial contents of a project. */
export const NO_CONTENTS: ContentsDocument = { counts: {}, associations: {} };

const referencesOf = ({ project: projectId, resource, unit_of_access }: InstallationDocument): readonly string[] => [
  ...(resource === null ? [] : [referenceKey({ kind: 'resource', id: resource, projectId })]),
  ...(unit_of_access === null ? [] : [referenceKey({ kind: 'definition', id: unit_of_access, projectId })]),
];

/** Documents that the handlers of a project's events read: the project and its contents before the event. */
type Found = Readonly<{ project: ProjectDocument | undefined; before: ContentsDocument | undefined }>;

const ofProject = ({ data: { projectId } }: EventOf<ContentsEvent>) => ({
  project: projects.at(projectId),
  before: contents.at(projectId),
});
const ofInstallation = (event: Event<'InstallationRevised' | 'InstallationDeleted' | 'InstallationClosed'>) => ({
  ...ofProject(event),
  installation: installations.at(event.data.installationId),
});

/** The project of an event. `undefined` if it was deleted meanwhile. */
const current = ({ data }: EventOf<ContentsEvent>, { project }: Found): ProjectDocument | undefined =>
  project?.generation === data.generation ? project : undefined;

/** References of a project after an installation was created, deleted or changed. */
const recounted = (
  projectId: string,
  { before = NO_CONTENTS }: Found,
  left: InstallationDocument | undefined,
  entered: InstallationDocument | undefined,
): readonly DocumentChange[] => {
  const leaving = left ? referencesOf(left) : [];
  const entering = entered ? referencesOf(entered) : [];
  const touched = new Set([...leaving, ...entering]);
  if (touched.size === 0) return [];
  const counts = new Map(Object.entries(before.counts));
  for (const key of entering) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of leaving) counts.set(key, (counts.get(key) ?? 0) - 1);
  const changes = [...touched].map((key) =>
    (counts.get(key) ?? 0) > 0 ? references.put(key, { project: projectId }) : references.remove(key),
  );
  const kept = Object.fromEntries([...counts].filter(([, count]) => count > 0));
  return [...changes, contents.put(projectId, { ...before, counts: kept })];
};

const written = (document: InstallationDocument): readonly DocumentChange[] => [
  installations.put(document.id, document),
  installationsOfProject.put(document, document),
  installationsOfProvider.put(document, document),
];

const removed = (document: InstallationDocument): readonly DocumentChange[] => [
  installations.remove(document.id),
  installationsByExternalId.remove(document.external_id),
  installationsOfProject.remove(document),
  installationsOfProvider.remove(document),
];

const withContent = (
  document: Omit<InstallationDocument, 'organisation' | 'infrastructure' | 'installation' | 'resource' | 'unit_of_access'>,
  { organisation, infrastructure, installation, resource, unitOfAccess }: Installation,
): InstallationDocument => ({ ...document, organisation, infrastructure, installation, resource, unit_of_access: unitOfAccess });

const created = (event: Event<'InstallationCreated'>, project: ProjectDocument): InstallationDocument => {
  const { projectId, generation, installationId: id, externalId: external_id, creatorId: creator_id } = event.data;
  const place = { id, project: projectId, generation, projectOrder: project.order, order: orderOf(event), external_id, creator_id };
  return withContent(place, event.data);
};

/** Handlers of associations and installations. Events of a project that was deleted meanwhile are ignored. */
export const projectContentsHandlers: Handlers<ContentsEvent> = {
  ProviderAssociated: reading(ofProject, (event: Event<'ProviderAssociated'>, found) => {
    const project = current(event, found);
    if (!project) return [];
    const { projectId, providerId } = event.data;
    const key = referenceKey({ kind: 'provider', id: providerId, projectId });
    const { before = NO_CONTENTS } = found;
    const { [key]: order = orderOf(event), ...others } = before.associations;
    return [
      associations.put({ projectOrder: project.order, order }, { project_id: projectId, provider_id: providerId }),
      references.put(key, { project: projectId }),
      contents.put(projectId, { ...before, associations: { ...others, [key]: order } }),
    ];
  }),

  ProviderDissociated: reading(ofProject, (event: Event<'ProviderDissociated'>, found) => {
    const project = current(event, found);
    if (!project) return [];
    const { projectId, providerId } = event.data;
    const key = referenceKey({ kind: 'provider', id: providerId, projectId });
    const { before = NO_CONTENTS } = found;
    const { [key]: order = orderOf(event), ...others } = before.associations;
    return [
      associations.remove({ projectOrder: project.order, order }),
      references.remove(key),
      contents.put(projectId, { ...before, associations: others }),
    ];
  }),

  InstallationCreated: reading(ofProject, (event: Event<'InstallationCreated'>, found) => {
    const project = current(event, found);
    if (!project) return [];
    const after = created(event, project);
    return [
      ...written(after),
      installationsByExternalId.put(after.external_id, after.id),
      ...recounted(project.id, found, undefined, after),
    ];
  }),

  InstallationRevised: reading(ofInstallation, (event: Event<'InstallationRevised'>, found) => {
    const project = current(event, found);
    if (!project) return [];
    const before = known(found.installation, event.data.installationId);
    const after = withContent(before, event.data);
    return [installationsOfProvider.remove(before), ...written(after), ...recounted(project.id, found, before, after)];
  }),

  InstallationClosed: reading(ofInstallation, (event: Event<'InstallationClosed'>, found) => {
    if (!current(event, found)) return [];
    const before = known(found.installation, event.data.installationId);
    return written({ ...before, closings: (before.closings ?? 0) + 1 });
  }),

  InstallationDeleted: reading(ofInstallation, (event: Event<'InstallationDeleted'>, found) => {
    const project = current(event, found);
    if (!project) return [];
    const before = known(found.installation, event.data.installationId);
    return [...removed(before), ...recounted(project.id, found, before, undefined)];
  }),
};
