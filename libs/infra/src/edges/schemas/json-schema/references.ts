import type { Json, JsonObject } from '#domain/shared/events.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { shortened } from './violations.js';

/** Base URI of a document without an id, which makes its references resolvable like any other. */
const HOME = 'schema://document/';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const resolved = (reference: string, base: string): string | undefined => {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
};

const splitFragment = (uri: string): Readonly<{ document: string; fragment: string }> => {
  const hash = uri.indexOf('#');
  return hash < 0 ? { document: uri, fragment: '' } : { document: uri.slice(0, hash), fragment: uri.slice(hash + 1) };
};

const decoded = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
};

/** The value at a JSON pointer. */
const pointed = (from: Json, pointer: string): Json | undefined => {
  let value: Json | undefined = from;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
};

/** A schema inside a document, and the base URI of its references. */
export type LocatedSchema = Readonly<{ schema: Json; base: string }>;

/**
 * References inside one document: JSON pointers, and the ids of its schemas, which are in one of `idKeywords`. Nothing is fetched: a
 * reference out of the document is an error.
 */
export class SchemaReferences {
  private readonly byAddress = new Map<string, LocatedSchema>();
  private readonly bases = new Map<JsonObject, string>();
  readonly root: LocatedSchema;

  constructor(
    document: Json,
    private readonly idKeywords: readonly string[],
  ) {
    this.collect(document, HOME);
    this.root = { schema: document, base: this.baseOf(document, HOME) };
    this.byAddress.set(HOME, this.root);
  }

  /** Base URI inside a schema. */
  baseOf(schema: Json, outer: string): string {
    return isObject(schema) ? (this.bases.get(schema) ?? outer) : outer;
  }

  /** @throws SchemaInvalid */
  resolve(reference: string, base: string): LocatedSchema {
    const address = resolved(reference, base) ?? '';
    const named = this.byAddress.get(address);
    if (named) return named;
    const { document, fragment } = splitFragment(address);
    const holder = this.byAddress.get(document);
    const pointer = decoded(fragment);
    const schema = holder && (pointer === '' || pointer.startsWith('/')) ? pointed(holder.schema, pointer) : undefined;
    if (!holder || schema === undefined) throw new SchemaInvalid(`reference leads to nothing in this document: ${shortened(reference)}`);
    if (!isObject(schema) && typeof schema !== 'boolean')
      throw new SchemaInvalid(`reference does not lead to a schema: ${shortened(reference)}`);
    return { schema, base: this.baseOf(schema, holder.base) };
  }

  private collect(value: Json, outer: string): void {
    if (Array.isArray(value)) {
      for (const element of value) this.collect(element, outer);
      return;
    }
    if (!isObject(value)) return;
    const base = this.named(value, outer);
    if (base !== HOME) this.bases.set(value, base);
    for (const member of Object.values(value)) this.collect(member, base);
  }

  /** Registers the id of a schema, if it has one. Returns the base URI inside of it. */
  private named(schema: JsonObject, outer: string): string {
    const id = this.idKeywords.map((keyword) => schema[keyword]).find((value) => typeof value === 'string');
    if (typeof id !== 'string' || id === '' || id === '#' || '$ref' in schema) return outer;
    const address = resolved(id, outer);
    if (address === undefined) return outer; // perhaps a member of an example, not an id
    const { document, fragment } = splitFragment(address);
    const base = fragment === '' ? document : outer;
    this.byAddress.set(fragment === '' ? document : address, { schema, base });
    return base;
  }
}
