import { Inject, Injectable } from '@nestjs/common';
import * as errors from '#api/accounting/errors.js';
import { READ_STORE } from '#api/shared/tokens.js';
import type { TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import {
  CatalogueQueries,
  type InstallationDocument,
  type ProjectDocument,
  type ProviderDocument,
  type ReferenceKind,
} from '#projections/accounting/catalogue/queries.js';
import {
  DEFINITIONS_PROJECTION,
  type DefinitionDocument,
  type DefinitionRecord,
  definitionCollections,
  type TypeRecord,
} from '#projections/accounting/definitions/definitions.js';
import { parse } from '#projections/accounting/document-batches.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { existing } from './existing.js';

/** Projects, providers, installations and metric definitions for those who look them up. Goes once all of them ask the queries. */
@Injectable()
export class CatalogueReader {
  readonly definitions: ReadView;
  private readonly queries: CatalogueQueries;

  constructor(@Inject(READ_STORE) store: ReadStore) {
    this.definitions = store.view(DEFINITIONS_PROJECTION);
    this.queries = new CatalogueQueries(store);
  }

  project(id: string): Promise<ProjectDocument> {
    return existing(this.queries.project(id), errors.projectNotFound, id);
  }

  installation(id: string): Promise<InstallationDocument> {
    return existing(this.queries.installation(id), errors.installationNotFound, id);
  }

  installationByExternalId(id: string): Promise<InstallationDocument> {
    return existing(this.queries.installationByExternalId(id), errors.externalInstallationNotFound, id);
  }

  provider(id: string): Promise<ProviderDocument> {
    return existing(this.queries.provider(id), errors.providerNotFound, id);
  }

  findProviderByExternalId(id: string): Promise<ProviderDocument | undefined> {
    return this.queries.providerByExternalId(id);
  }

  providerByExternalId(id: string): Promise<ProviderDocument> {
    return existing(this.queries.providerByExternalId(id), errors.externalProviderNotFound, id);
  }

  isReferred(kind: ReferenceKind, id: string): Promise<boolean> {
    return this.queries.isReferred(kind, id);
  }

  projectsWith(providerId: string): AsyncGenerator<readonly string[]> {
    return this.queries.projectsWith(providerId);
  }

  /** @throws AccountingError 404 */
  async definition(id: string): Promise<DefinitionRecord> {
    const stored = storedObjectId(id);
    const [found] = stored === undefined ? [] : await this.definitionRecords([stored]);
    if (!found) throw errors.definitionNotFound(id);
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
}
