import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import { RESOURCES, type SchemaDocument, schemas } from './documents.js';

export type { SchemaDocument } from './documents.js';

/** Schemas that are read together. Each may have a megabyte. */
const SCHEMAS_AT_ONCE = 4;

/** Parses a stored schema. */
export const schemaIn = (stored: Buffer): SchemaDocument => schemas.byName.parse(stored);

/** Schemas. Every call reads one project only. */
export class SchemaQueries extends queriesOf(RESOURCES) {
  /** The stored schema with this name, for {@link schemaIn}. */
  stored(projectId: string, name: string): Promise<Buffer | null> {
    return schemas.byName.bytes(this.view, [projectId, name]);
  }

  /** The stored schema with this id, for {@link schemaIn}. */
  storedById(projectId: string, schemaId: string): Promise<Buffer | null> {
    return schemas.byId.bytes(this.view, [projectId, schemaId]);
  }

  /** Names of existing schemas by id. Few are read at a time, and parsed in turns, because whole schemas are. */
  async names(projectId: string, ids: Iterable<string | null>, slice: Slice): Promise<ReadonlyMap<string, string>> {
    const wanted = [...new Set(ids)].flatMap((id) => (id === null ? [] : [[projectId, id] as const]));
    const names = new Map<string, string>();
    for (let start = 0; start < wanted.length; start += SCHEMAS_AT_ONCE) {
      const found = await schemas.byId.getMany(this.view, wanted.slice(start, start + SCHEMAS_AT_ONCE), slice);
      for (const schema of found) if (schema) names.set(schema.schemaId, schema.name);
    }
    return names;
  }

  /** All schemas of a project in order of creation. Yields to other work between them if the slice is over. */
  async *list(projectId: string, slice: Slice): AsyncGenerator<SchemaDocument> {
    for await (const page of pagesOf(this.view, schemas.inOrder.name, keysUnder(projectId), { slice, most: SCHEMAS_AT_ONCE })) {
      for (const { value } of page) {
        if (slice.isOver) await slice.next();
        yield schemas.inOrder.parse(value);
      }
    }
  }
}
