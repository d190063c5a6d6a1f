import type { ProjectReference } from '#projections/messaging/account-documents.js';
import { RESOURCES_PROJECTION, resourceCollections, resourceKey, type SchemaDocument } from '#projections/messaging/resource-documents.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import * as errors from './errors.js';

/** A schema as it is stored. */
export const schemaIn = (stored: Buffer): SchemaDocument => JSON.parse(stored.toString('utf8'));

/** Lookups of schemas. */
export class SchemaReader {
  private readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(RESOURCES_PROJECTION);
  }

  /** The stored schema of a name, to be read by {@link schemaIn}. @throws MessagingError N05 */
  async stored({ projectId }: ProjectReference, name: string): Promise<Buffer> {
    const stored = await this.view.get(resourceCollections.schemas, resourceKey(projectId, name));
    if (!stored) throw errors.schemaNotFound();
    return stored;
  }

  async exists({ projectId }: ProjectReference, name: string): Promise<boolean> {
    return (await this.view.get(resourceCollections.schemas, resourceKey(projectId, name))) !== null;
  }

  storedById({ projectId }: ProjectReference, schemaId: string): Promise<Buffer | null> {
    return this.view.get(resourceCollections.schemasById, resourceKey(projectId, schemaId));
  }

  /** All schemas of a project, in the order of their creation. */
  async list({ projectId }: ProjectReference): Promise<readonly SchemaDocument[]> {
    const stored = await this.view.range(resourceCollections.schemasInOrder, keysUnder(projectId));
    return stored.map(({ value }) => schemaIn(value));
  }
}
