import * as errors from '#api/messaging/errors.js';
import { rangeInParts } from '#api/shared/http/range-parts.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import {
  RESOURCES_PROJECTION,
  resourceCollections,
  resourceKey,
  type SchemaDocument,
} from '#projections/messaging/resources/resource-documents.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';

/** Schemas that are read at once: each may have a megabyte. */
const TOGETHER = 4;

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

  storedById(projectId: string, schemaId: string): Promise<Buffer | null> {
    return this.view.get(resourceCollections.schemasById, resourceKey(projectId, schemaId));
  }

  /** All schemas of a project, in the order of their creation; a few are read at once, and each is handed over in a slice. */
  async *list({ projectId }: ProjectReference): AsyncGenerator<SchemaDocument> {
    const slice = new TimeSlice();
    for await (const part of rangeInParts(this.view, resourceCollections.schemasInOrder, keysUnder(projectId), TOGETHER)) {
      for (const { value } of part) {
        if (slice.isOver) await slice.next();
        yield schemaIn(value);
      }
    }
  }
}
