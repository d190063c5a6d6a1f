import { Inject, Injectable } from '@nestjs/common';
import * as errors from '#api/accounting/errors.js';
import { mapped } from '#api/accounting/text-lists.js';
import { READ_STORE } from '#api/shared/tokens.js';
import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import {
  CATALOGUE_PROJECTION,
  catalogueCollections,
  type InstallationContent,
  type InstallationDocument,
  idKey,
  type ProjectDocument,
  type ProviderDocument,
  type ReferenceDocument,
  type ReferenceKind,
  referenceKey,
} from '#projections/accounting/catalogue/catalogue-documents.js';
import {
  DEFINITIONS_PROJECTION,
  type DefinitionDocument,
  type DefinitionRecord,
  definitionCollections,
  ownDefinition,
  type TypeRecord,
} from '#projections/accounting/definitions/definitions.js';
import { documentsIn, parse } from '#projections/accounting/document-batches.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { KeyRange, ReadStore, ReadView, StoredDocument } from '#projections/shared/read-store.js';
import { CatalogueEntries } from './catalogue-entries.js';
import { type InstallationIdName, installationView } from './catalogue-views.js';

const { projects, providers, providersByExternalId, resources, installations, installationsByExternalId, references } =
  catalogueCollections;

const parsed = <T>(documents: readonly StoredDocument[]): readonly T[] => documents.map(({ value }) => parse<T>(value));

/** Projects of a provider that are read at a time. */
const PROJECTS_AT_ONCE = 100;

/** Where the installations of a project stand in {@link catalogueCollections.installationsOfProject}. */
export const ofProject = ({ order }: ProjectDocument): KeyRange => keysUnder(order);
/** Where those of one of its providers stand in {@link catalogueCollections.installationsOfProvider}. */
export const ofProvider = ({ order }: ProjectDocument, providerId: string): KeyRange => keysUnder(order, providerId);

/** Projects, providers, installations and metric definitions for those who look them up. `find…` gives nothing, the others 404, for what is not there. */
@Injectable()
export class CatalogueReader extends CatalogueEntries {
  readonly catalogue: ReadView;
  readonly definitions: ReadView;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    super();
    this.catalogue = store.view(CATALOGUE_PROJECTION);
    this.definitions = store.view(DEFINITIONS_PROJECTION);
  }

  protected projectAt(key: string): Promise<ProjectDocument | undefined> {
    return this.find(projects, key);
  }

  protected installationAt(key: string): Promise<InstallationDocument | undefined> {
    return this.find(installations, key);
  }

  protected installationIdAt(key: string): Promise<string | undefined> {
    return this.find(installationsByExternalId, key);
  }

  protected async definitionAt(key: string): Promise<DefinitionRecord | undefined> {
    const bytes = await this.definitions.get(definitionCollections.definitions, key);
    return bytes === null ? undefined : parse(bytes);
  }

  findProvider(id: string): Promise<ProviderDocument | undefined> {
    return this.find(providers, idKey(id));
  }

  /** @throws AccountingError 404 */
  async providerById(id: string): Promise<ProviderDocument> {
    const found = await this.findProvider(id);
    if (!found) throw errors.providerNotFound(id);
    return found;
  }

  /** `id`: its id or, where no provider has that, its external id. */
  async findProviderByAnyId(id: string): Promise<ProviderDocument | undefined> {
    return (await this.findProvider(id)) ?? (await this.findProviderByExternalId(id));
  }

  /** `id`: as for {@link findProviderByAnyId}. @throws AccountingError 404 */
  async provider(id: string): Promise<ProviderDocument> {
    const found = await this.findProviderByAnyId(id);
    if (!found) throw errors.providerNotFound(id);
    return found;
  }

  /** Those of the external catalogue have no external id. */
  findProviderByExternalId(externalId: string): Promise<ProviderDocument | undefined> {
    return this.find(providersByExternalId, idKey(externalId));
  }

  /** @throws AccountingError 404 */
  async providerByExternalId(externalId: string): Promise<ProviderDocument> {
    const found = await this.findProviderByExternalId(externalId);
    if (!found) throw errors.externalProviderNotFound(externalId);
    return found;
  }

  /** By id; those that are not there are missing. */
  async definitionsOf(ids: readonly string[]): Promise<ReadonlyMap<string, DefinitionDocument>> {
    const records = await this.definitionRecords([...new Set(ids)]);
    return new Map(records.map(({ document }) => [document.metric_definition_id, document]));
  }

  /** In the order of the ids; those that are not there are missing. */
  async definitionRecords(ids: readonly string[]): Promise<readonly DefinitionRecord[]> {
    const found = ids.length === 0 ? [] : await this.definitions.getMany(definitionCollections.definitions, ids);
    return found.flatMap((bytes) => (bytes === null ? [] : [parse<DefinitionRecord>(bytes)]));
  }

  async findType(kind: TypeKind, id: string): Promise<TypeRecord | undefined> {
    const bytes = await this.definitions.get(definitionCollections.types[kind], id);
    return bytes === null ? undefined : parse(bytes);
  }

  /** Types that were added, as they stand in responses, and how many there are. */
  async types(
    kind: TypeKind,
    page: Readonly<{ offset: number; limit: number }>,
  ): Promise<Readonly<{ texts: readonly Buffer[]; total: number }>> {
    const collection = definitionCollections.typesInOrder[kind];
    const [total, documents] = await Promise.all([
      this.definitions.count(collection, {}),
      page.limit > 0 ? this.definitions.range(collection, page) : [],
    ]);
    return { texts: documents.map(({ value }) => value), total };
  }

  async hasResource(id: string): Promise<boolean> {
    return (await this.catalogue.get(resources, idKey(id))) !== null;
  }

  /** Whether something of any project refers to it. */
  async isReferred(kind: ReferenceKind, id: string): Promise<boolean> {
    return (await this.catalogue.range(references, { ...keysUnder(kind, id), limit: 1 })).length > 0;
  }

  async isAssociated(providerId: string, projectId: string): Promise<boolean> {
    return (await this.catalogue.get(references, referenceKey('provider', providerId, projectId))) !== null;
  }

  /** The installations as they stand in responses. */
  async installationTexts(documents: readonly InstallationContent[], idName?: InstallationIdName): Promise<readonly string[]> {
    const definitions = await this.definitionsOf(documents.flatMap(({ unit_of_access }) => unit_of_access ?? []));
    return documents.map((document) => JSON.stringify(installationView(document, definitions.get(document.unit_of_access ?? ''), idName)));
  }

  /** An installation as the answer shows it that creates it: with who created its unit of access. */
  async createdInstallationText(created: InstallationContent): Promise<string> {
    const [definition] = await this.definitionRecords(created.unit_of_access === null ? [] : [created.unit_of_access]);
    return JSON.stringify(installationView(created, definition && ownDefinition(definition)));
  }

  /** Of one of the collections of installations. */
  async installationsIn(collection: string, range: KeyRange): Promise<readonly InstallationDocument[]> {
    return parsed(await this.catalogue.range(collection, range));
  }

  /** The ids of the projects that the provider is associated with, some at a time. */
  projectsWith(providerId: string): AsyncGenerator<readonly string[]> {
    const places = documentsIn(this.catalogue, references, keysUnder('provider', providerId), PROJECTS_AT_ONCE);
    return mapped(places, (some) => some.map(({ value }) => parse<ReferenceDocument>(value).project));
  }

  /** Those that are not there are missing. */
  async projectsById(ids: readonly string[]): Promise<ReadonlyMap<string, ProjectDocument>> {
    return this.byId(projects, ids);
  }

  /** Those that are not there are missing. */
  async providersById(ids: readonly string[]): Promise<ReadonlyMap<string, ProviderDocument>> {
    return this.byId(providers, ids);
  }

  private async byId<T extends Readonly<{ id: string }>>(collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, T>> {
    const keys = [...new Set(ids)].map(idKey);
    const found = keys.length === 0 ? [] : await this.catalogue.getMany(collection, keys);
    return new Map(found.flatMap((bytes) => (bytes === null ? [] : [parse<T>(bytes)])).map((document) => [document.id, document]));
  }

  private async find<T>(collection: string, key: string): Promise<T | undefined> {
    const bytes = await this.catalogue.get(collection, key);
    return bytes === null ? undefined : parse(bytes);
  }
}
