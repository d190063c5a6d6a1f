import {
  CATALOGUE_CATEGORY,
  CATALOGUE_STREAM,
  type CatalogueRecordEvent,
  PROJECT_CATEGORY,
  type Project,
  type Provider,
  projectStream,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { known } from '#projections/accounting/known.js';
import { orderOf } from '#projections/accounting/log-order.js';
import { ofCatalogueEvent } from '#projections/accounting/partitions.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, type Handlers, ofProjects, reading, readModel } from '#projections/shared/read-model.js';
import {
  associations,
  CATALOGUE,
  catalogueCollections,
  contents,
  installationsOfProject,
  installationsOfProvider,
  type ProjectDocument,
  type ProviderDocument,
  projects,
  projectsInOrder,
  providerOrders,
  providers,
  providersByExternalId,
  providersInOrder,
  references,
  resources,
  resourcesInOrder,
} from './documents.js';
import { type ContentsEvent, NO_CONTENTS, projectContentsHandlers } from './project-contents.js';

type Event<Type extends CatalogueRecordEvent['type']> = EventOf<Extract<CatalogueRecordEvent, { type: Type }>>;

const projectWritten = (
  id: string,
  { acronym, title, start_date, end_date, call_identifier }: Project,
  { generation, order }: Pick<ProjectDocument, 'generation' | 'order'>,
): readonly DocumentChange[] => {
  const document = { id, acronym, title, start_date, end_date, call_identifier, generation, order };
  return [projects.put(id, document), projectsInOrder.put(order, document)];
};

const providerWritten = (
  id: string,
  { name, website, abbreviation, logo }: Provider,
  { external_id, creator_id }: Pick<ProviderDocument, 'external_id' | 'creator_id'>,
  order: string,
): readonly DocumentChange[] => {
  const document = { id, name, website, abbreviation, logo, external_id, creator_id };
  return [
    providers.put(id, document),
    providersInOrder.put(order, document),
    providerOrders.put(id, order),
    ...(external_id === null ? [] : [providersByExternalId.put(external_id, document)]),
  ];
};

const providerRemoved = ({ id, external_id }: ProviderDocument, order: string): readonly DocumentChange[] => [
  providers.remove(id),
  providersInOrder.remove(order),
  providerOrders.remove(id),
  ...(external_id === null ? [] : [providersByExternalId.remove(external_id)]),
];

const ofProject = ({ data: { projectId } }: Event<'ProjectRevised' | 'ProjectDeleted'>) => ({
  project: projects.at(projectId),
  referred: contents.at(projectId),
});
const ofProvider = ({ data: { providerId } }: Event<'ProviderRevised' | 'ProviderDeleted'>) => ({
  provider: providers.at(providerId),
  order: providerOrders.at(providerId),
});

const catalogueHandlers: Handlers<CatalogueRecordEvent> = {
  ProjectRegistered: (event) =>
    projectWritten(event.data.projectId, event.data, { generation: event.data.generation, order: orderOf(event) }),

  ProjectRevised: reading(ofProject, ({ data }: Event<'ProjectRevised'>, { project }) =>
    projectWritten(data.projectId, data, known(project, data.projectId)),
  ),

  ProjectDeleted: reading(ofProject, ({ data }: Event<'ProjectDeleted'>, found) => {
    const { id, order } = known(found.project, data.projectId);
    const { counts, associations: associated } = found.referred ?? NO_CONTENTS;
    return [
      projects.remove(id),
      projectsInOrder.remove(order),
      contents.remove(id),
      ...[associations, installationsOfProject, installationsOfProvider].map((below) => below.removeUnder(`${order}/`)),
      ...[...Object.keys(counts), ...Object.keys(associated)].map((key) => references.remove(key)),
    ];
  }),

  ProviderRegistered: (event) => {
    const { providerId, externalId: external_id, creatorId: creator_id } = event.data;
    return providerWritten(providerId, event.data, { external_id, creator_id }, orderOf(event));
  },

  ProviderRevised: reading(ofProvider, ({ data }: Event<'ProviderRevised'>, found) => {
    const { providerId, newId = providerId } = data;
    const [provider, order] = [known(found.provider, providerId), known(found.order, providerId)];
    return [...providerRemoved(provider, order), ...providerWritten(newId, data, provider, order)];
  }),

  ProviderDeleted: reading(ofProvider, ({ data: { providerId } }: Event<'ProviderDeleted'>, { provider, order }) =>
    providerRemoved(known(provider, providerId), known(order, providerId)),
  ),

  CatalogueProviderImported: reading(
    ({ data }: Event<'CatalogueProviderImported'>) => ({ order: providerOrders.at(data.providerId) }),
    (event, { order = orderOf(event) }) => providerWritten(event.data.providerId, event.data, { external_id: null, creator_id: '' }, order),
  ),

  ResourceRegistered: (event) => {
    const { resourceId, name } = event.data;
    const order = orderOf(event);
    return [resources.put(resourceId, order), resourcesInOrder.put(order, { id: resourceId, name })];
  },

  ResourceDeleted: reading(
    ({ data }: Event<'ResourceDeleted'>) => ({ order: resources.at(data.resourceId) }),
    ({ data: { resourceId } }, { order }) => [resources.remove(resourceId), resourcesInOrder.remove(known(order, resourceId))],
  ),
};

/** Projects with their associations and installations, providers and resources. */
export const catalogueProjection = readModel<CatalogueRecordEvent | ContentsEvent>(
  {
    name: CATALOGUE,
    version: 1,
    service: 'accounting',
    needed: { fixed: [CATALOGUE_STREAM], namedBy: ofProjects('ProjectRegistered', projectStream) },
    categories: [CATALOGUE_CATEGORY, PROJECT_CATEGORY],
    collections: catalogueCollections,
    partitionsOf: ofCatalogueEvent,
  },
  { ...catalogueHandlers, ...projectContentsHandlers },
);
