import type { SCHEMA } from '#api/messaging/openapi/components.js';
import { schemaName } from '#api/messaging/references.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { byBytes } from '#api/shared/answers/text-order.js';
import type { Json } from '#domain/shared/events.js';
import type { Static } from '#domain/shared/shape.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { SchemaDocument } from '#projections/messaging/resources/schema-queries.js';
import { laidOut } from '#projections/status/free-json.js';

/** Compact JSON with keys sorted by bytes at every level. */
const inKeyOrder = (json: Json): string => {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map(inKeyOrder).join()}]`;
  const members = Object.entries(json).sort(([left], [right]) => byBytes(left, right));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${inKeyOrder(member)}`).join()}}`;
};

export type ShownSchema = Pick<SchemaDocument, 'schemaId' | 'name' | 'type' | 'document'>;

const compact = (project: ProjectReference, { schemaId, name, type, document }: ShownSchema): string => {
  const known = JSON.stringify({ uuid: schemaId, name: schemaName(project, name), type } satisfies Omit<Static<typeof SCHEMA>, 'schema'>);
  return `${known.slice(0, -1)},"schema":${inKeyOrder(document)}}`;
};

/** The body of a schema (messaging contract 3.10). */
export const schemaBody = (project: ProjectReference, schema: ShownSchema): string => laidOut(compact(project, schema), 0);

/** The body of a list of schemas, in pieces: one for each schema, and the end. */
export async function* schemaListPieces(project: ProjectReference, schemas: AsyncIterable<ShownSchema>): Pieces {
  let begun = false;
  for await (const schema of schemas) {
    yield [`${begun ? ',' : '{\n "schemas": ['}\n  ${laidOut(compact(project, schema), 2)}`];
    begun = true;
  }
  yield [begun ? '\n ]\n}' : '{\n "schemas": []\n}'];
}
