import type { Declaration } from '#api/shared/routes/route.js';
import { type Schema, type Schemas, schemaOf } from './shape.js';

type Content = Record<string, Record<string, unknown>>;
type Body = { required?: boolean; content?: Content };

const membersOf = (schema: Schema | undefined): Readonly<Record<string, Schema>> =>
  (schema?.properties ?? {}) as Readonly<Record<string, Schema>>;

const resolved = (schema: Schema, components: Readonly<Record<string, Schema>>): Schema => {
  const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;
  return (name !== undefined && components[name]) || schema;
};

/** Where a described body has other members than the body that is read, as paths of members. */
const differences = (
  read: Schema,
  written: Schema,
  ignores: ReadonlySet<string>,
  components: Readonly<Record<string, Schema>>,
  path = '',
): readonly string[] => {
  const described = resolved(written, components);
  if (read.type === 'array')
    return differences((read.items ?? {}) as Schema, (described.items ?? {}) as Schema, ignores, components, `${path}[]`);
  const known = membersOf(read);
  const said = membersOf(described);
  if (Object.keys(known).length === 0 || described.type === undefined) return [];
  const missing = Object.keys(known).filter((name) => !(name in said) && !ignores.has(name));
  const unknown = Object.keys(said).filter((name) => !(name in known));
  const deeper = Object.entries(said).flatMap(([name, member]) =>
    known[name] ? differences(known[name], member, ignores, components, `${path}/${name}`) : [],
  );
  return [...missing.map((name) => `no ${path}/${name}`), ...unknown.map((name) => `unknown ${path}/${name}`), ...deeper];
};

/**
 * Describes the body of a request as its route declares it: its schema and an example.
 * @throws the described schema has other members than the body that the operation reads
 */
export const describeBody = (operation: string, body: Body, declared: Omit<Declaration, 'id'>, schemas: Schemas): void => {
  const { body: read, request, ignores = [], example } = declared;
  if (!read) return;
  const schema = schemas.of(request ?? read.schema);
  const differing = request === undefined ? [] : differences(schemaOf(read), schema, new Set(ignores), schemas.components);
  if (differing.length > 0)
    throw new Error(`the body of ${operation} is described with other members than it has: ${differing.join(', ')}`);
  for (const content of Object.values(body.content ?? {})) {
    content.schema = schema;
    if (example !== undefined) content.example = example;
  }
};
