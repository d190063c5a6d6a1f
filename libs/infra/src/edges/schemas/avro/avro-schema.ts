import avro from 'avsc';
import type { Json, JsonObject } from '#domain/shared/events.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { isObject } from '#infra/edges/schemas/json-schema/references.js';

export type AvroType = InstanceType<typeof avro.Type>;
type Options = NonNullable<Parameters<typeof avro.Type.forSchema>[1]>;
type Hook = NonNullable<Options['typeHook']>;

const PRIMITIVES: ReadonlySet<string> = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);
const COMPLEX: ReadonlySet<string> = new Set(['record', 'enum', 'array', 'map', 'fixed']);
const LONGEST_TEXT = 500;

const isText = (json: Json | undefined): boolean => json === undefined || typeof json === 'string';
const isListOf = (test: (json: Json) => boolean, json: Json | undefined): boolean => Array.isArray(json) && json.every(test);

/** Checks properties of a definition that `avsc` does not check. */
const checkDefinition = (definition: JsonObject): void => {
  const { type, name, namespace, aliases, fields, symbols } = definition;
  const refuse = (what: string): never => {
    throw new SchemaInvalid(`${type} ought to have valid ${what}`);
  };
  if (['record', 'enum', 'fixed'].includes(String(type)) && (typeof name !== 'string' || name === '')) refuse('name');
  if (!isText(namespace)) refuse('namespace');
  if (aliases !== undefined && !isListOf(isText, aliases)) refuse('aliases');
  if (type === 'record' && !(isListOf(isObject, fields) && Array.isArray(fields) && fields.length > 0)) refuse('fields: at least one');
  const untyped =
    Array.isArray(fields) && type === 'record' ? fields.find((field) => isObject(field) && field.type === undefined) : undefined;
  if (untyped !== undefined) throw new SchemaInvalid(`missing type: ${JSON.stringify(untyped)}`);
  if (type === 'enum' && !isListOf((symbol) => typeof symbol === 'string', symbols)) refuse('symbols');
};

/** A bare name is one of the enclosing namespace, else of the null namespace. */
const named = (name: string, { namespace, registry = {} }: Partial<Options>): AvroType | undefined => {
  if (PRIMITIVES.has(name)) return undefined;
  const fullName = namespace && !name.includes('.') ? `${namespace}.${name}` : name;
  const type = registry[fullName] ?? registry[name];
  if (type === undefined) throw new SchemaInvalid(`unknown type name: ${JSON.stringify(name)}`);
  return type;
};

/**
 * Called for every schema in a document before `avsc` compiles it. Refuses schemas that `avsc` would misread, resolves names, and ignores a
 * namespace beside a name with a dot. Returns a type, or `undefined` to leave the compilation to `avsc`.
 */
const beforeEach = (schema: Json | undefined, options: Partial<Options>): AvroType | undefined => {
  if (typeof schema === 'string') return named(schema, options);
  if (Array.isArray(schema)) return undefined; // a union
  if (!isObject(schema)) throw new SchemaInvalid(`missing type: ${JSON.stringify(schema)}`);
  const { type } = schema;
  if (type === undefined || type === null) throw new SchemaInvalid(`missing type: ${JSON.stringify(schema)}`);
  if (typeof type !== 'string' || !(PRIMITIVES.has(type) || COMPLEX.has(type))) return parsed(type, options);
  checkDefinition(schema);
  const { namespace, ...fullyNamed } = schema;
  return namespace !== undefined && String(schema.name).includes('.') ? parsed(fullyNamed, options) : undefined;
};

/** The type declarations of `avsc` do not cover unchecked documents. */
const parsed = (schema: Json, options: Partial<Options>): AvroType =>
  avro.Type.forSchema(schema as Parameters<typeof avro.Type.forSchema>[0], options);

/** Parses an Avro schema; logical types are ignored. @throws SchemaInvalid */
export const parseAvroSchema = (document: JsonObject): AvroType => {
  const registry: Record<string, AvroType> = Object.create(null); // without inherited members, which would occupy names
  const hook: Hook = (schema, options) => beforeEach(schema as Json, options);
  try {
    return parsed(document, { registry, typeHook: hook });
  } catch (error) {
    if (error instanceof SchemaInvalid) throw new SchemaInvalid(error.message.slice(0, LONGEST_TEXT));
    if (error instanceof RangeError) throw new SchemaInvalid('schema nests too deeply');
    throw new SchemaInvalid(error instanceof Error ? error.message.slice(0, LONGEST_TEXT) : 'schema is invalid');
  }
};
