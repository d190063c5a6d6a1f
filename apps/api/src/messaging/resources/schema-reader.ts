import { SchemaQueries } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

export class SchemaReader {
  readonly queries: SchemaQueries;

  constructor(store: ReadStore) {
    this.queries = new SchemaQueries(store);
  }

  storedById(projectId: string, schemaId: string): Promise<Buffer | null> {
    return this.queries.storedById(projectId, schemaId);
  }
}
