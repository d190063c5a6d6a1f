import type { Described } from './described.js';
import type { Schema, Schemas, Shape } from './shape.js';

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

/** Describes the body of a request as its route declares it. */
export const describeBody = (body: Body, shape: Shape, example: unknown, schemas: Schemas): void => {
  const schema = schemas.of(shape);
  for (const content of Object.values(body.content ?? {})) {
    content.schema = schema;
    if (example !== undefined) content.example = example;
  }
};

/**
 * Describes the body of a request: its schema and an example.
 * @throws the described schema has other members than the body that the operation reads
 */
export const describeRequest = (operation: string, body: Body, described: Described, schemas: Schemas): void => {
  const { body: example, request, ignores = [] } = described;
  for (const content of Object.values(body.content ?? {})) {
    if (example !== undefined) content.example = example;
    if (request === undefined) continue;
    const written = schemas.of(request);
    const differing = differences((content.schema ?? {}) as Schema, written, new Set(ignores), schemas.components);
    if (differing.length > 0)
      throw new Error(`the body of ${operation} is described with other members than it has: ${differing.join(', ')}`);
    content.schema = written;
  }
};
