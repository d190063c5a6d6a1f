import {
  CATALOGUE_CATEGORY,
  type CatalogueEvent,
  PROJECT_CATEGORY,
  type Project,
  type ProjectEvent,
  type Provider,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { ofCatalogueEvent, PROJECT, PROVIDER, RESOURCE } from '#projections/accounting/partitions.js';
import { applyToProject, contentsOf, orderOf } from '#projections/accounting/projects/project-contents.js';
import { defineProjection, type EventOf } from '#projections/shared/define.js';
import { firstPart, inMember, ownedBy, type Partitioning } from '#projections/shared/partitions.js';
import {
  type DocumentChange,
  type DocumentKey,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
} from '#projections/shared/projection.js';
import { CATALOGUE_PROJECTION, catalogueCollections, idKey, type ProjectDocument, type ProviderDocument } from './catalogue-documents.js';

const {
  projects,
  projectsInOrder,
  contents,
  providers,
  providersInOrder,
  providersByExternalId,
  providerOrders,
  resources,
  resourcesInOrder,
  associations,
  installations,
  installationsByExternalId,
  installationsOfProject,
  installationsOfProvider,
  references,
} = catalogueCollections;

const projectWritten = (
  id: string,
  { acronym, title, start_date, end_date, call_identifier }: Project,
  { generation, order }: Pick<ProjectDocument, 'generation' | 'order'>,
): DocumentChange[] => {
  const document: ProjectDocument = { id, acronym, title, start_date, end_date, call_identifier, generation, order };
  return [put(projects, idKey(id), document), put(projectsInOrder, order, document)];
};

const providerWritten = (
  id: string,
  { name, website, abbreviation, logo }: Provider,
  { external_id, creator_id }: Pick<ProviderDocument, 'external_id' | 'creator_id'>,
  order: string,
): DocumentChange[] => {
  const document: ProviderDocument = { id, name, website, abbreviation, logo, external_id, creator_id };
  return [
    put(providers, idKey(id), document),
    put(providersInOrder, order, document),
    put(providerOrders, idKey(id), order),
    ...(external_id === null ? [] : [put(providersByExternalId, idKey(external_id), document)]),
  ];
};

const providerRemoved = ({ id, external_id }: ProviderDocument, order: string): DocumentChange[] => [
  remove(providers, idKey(id)),
  remove(providersInOrder, order),
  remove(providerOrders, idKey(id)),
  ...(external_id === null ? [] : [remove(providersByExternalId, idKey(external_id))]),
];

const projectDeleted = (project: ProjectDocument, read: ReadDocument): DocumentChange[] => {
  const ofProject = `${project.order}/`;
  const referred = contentsOf(project.id, read);
  return [
    remove(projects, idKey(project.id)),
    remove(projectsInOrder, project.order),
    remove(contents, idKey(project.id)),
    ...[associations, installationsOfProject, installationsOfProvider].map((name) => removePrefix(name, ofProject)),
    ...[...Object.keys(referred.counts), ...Object.keys(referred.associations)].map((key) => remove(references, key)),
  ];
};

const applyToCatalogue = (event: EventOf<CatalogueEvent>, read: ReadDocument): readonly DocumentChange[] => {
  const order = orderOf(event);
  switch (event.type) {
    case 'ProjectRegistered':
      return projectWritten(event.data.projectId, event.data, { generation: event.data.generation, order });
    case 'ProjectRevised': {
      const before = read(projects, idKey(event.data.projectId)) as ProjectDocument;
      return projectWritten(event.data.projectId, event.data, before);
    }
    case 'ProjectDeleted':
      return projectDeleted(read(projects, idKey(event.data.projectId)) as ProjectDocument, read);
    case 'ProviderRegistered': {
      const { providerId, externalId, creatorId } = event.data;
      return providerWritten(providerId, event.data, { external_id: externalId, creator_id: creatorId }, order);
    }
    case 'ProviderRevised': {
      const { providerId, newId = providerId } = event.data;
      const before = read(providers, idKey(providerId)) as ProviderDocument;
      const stays = String(read(providerOrders, idKey(providerId)));
      return [...providerRemoved(before, stays), ...providerWritten(newId, event.data, before, stays)];
    }
    case 'ProviderDeleted': {
      const key = idKey(event.data.providerId);
      return providerRemoved(read(providers, key) as ProviderDocument, String(read(providerOrders, key)));
    }
    case 'CatalogueProviderImported': {
      const known = read(providerOrders, idKey(event.data.providerId)) as string | undefined;
      return providerWritten(event.data.providerId, event.data, { external_id: null, creator_id: '' }, known ?? order);
    }
    case 'ResourceRegistered': {
      const { resourceId, name } = event.data;
      return [put(resources, idKey(resourceId), order), put(resourcesInOrder, order, { id: resourceId, name })];
    }
    case 'ResourceDeleted': {
      const key = idKey(event.data.resourceId);
      return [remove(resources, key), remove(resourcesInOrder, String(read(resources, key)))];
    }
  }
};

const readsOf = ({ type, data }: EventOf<CatalogueEvent | ProjectEvent>): readonly DocumentKey[] => {
  switch (type) {
    case 'ProjectRegistered':
    case 'ProviderRegistered':
    case 'ResourceRegistered':
      return [];
    case 'ProviderRevised':
    case 'ProviderDeleted':
    case 'CatalogueProviderImported':
      return [providers, providerOrders].map((collection) => ({ collection, key: idKey(data.providerId) }));
    case 'ResourceDeleted':
      return [{ collection: resources, key: idKey(data.resourceId) }];
    default: {
      const ofProject = [projects, contents].map((collection) => ({ collection, key: idKey(data.projectId) }));
      return 'installationId' in data ? [...ofProject, { collection: installations, key: data.installationId }] : ofProject;
    }
  }
};

const isOfProject = (event: EventOf<CatalogueEvent | ProjectEvent>): event is EventOf<ProjectEvent> =>
  event.stream.startsWith(`${PROJECT_CATEGORY}-`);

const partitions: Partitioning = {
  ofEvent: ofCatalogueEvent,
  owners: {
    ...ownedBy(firstPart(PROJECT), [projects, contents]),
    [projectsInOrder]: inMember(PROJECT, 'id'),
    [associations]: inMember(PROJECT, 'project_id'),
    ...ownedBy(inMember(PROJECT, 'project'), [installations, installationsOfProject, installationsOfProvider]),
    [references]: { by: 'key', partition: (key) => `${PROJECT}:${key.slice(key.lastIndexOf('/') + 1)}` },
    ...ownedBy(firstPart(PROVIDER), [providers, providerOrders]),
    ...ownedBy(inMember(PROVIDER, 'id'), [providersInOrder, providersByExternalId]),
    [resources]: firstPart(RESOURCE),
    [resourcesInOrder]: inMember(RESOURCE, 'id'),
    // It leads to an installation, which tells.
    [installationsByExternalId]: { by: 'document', partition: () => undefined },
  },
  contested: [providersByExternalId, installationsByExternalId],
};

/** Projects, providers, resources, and what belongs to projects: associations and installations. */
export const catalogueProjection: Projection = defineProjection<CatalogueEvent | ProjectEvent>({
  name: CATALOGUE_PROJECTION,
  version: 1,
  service: 'accounting',
  categories: [CATALOGUE_CATEGORY, PROJECT_CATEGORY],
  handles: [
    'ProjectRegistered',
    'ProjectRevised',
    'ProjectDeleted',
    'ProviderRegistered',
    'ProviderRevised',
    'ProviderDeleted',
    'CatalogueProviderImported',
    'ResourceRegistered',
    'ResourceDeleted',
    'ProviderAssociated',
    'ProviderDissociated',
    'InstallationCreated',
    'InstallationRevised',
    'InstallationDeleted',
  ],
  partitions,
  reads: readsOf,
  apply: (event, read) => (isOfProject(event) ? applyToProject(event, read) : applyToCatalogue(event, read)),
});
