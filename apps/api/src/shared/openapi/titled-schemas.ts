import type { OpenAPIObject } from '@nestjs/swagger';
import type { Schema } from '#domain/shared/shape.js';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Members whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

const REFERENCE = '#/components/schemas/';

class Titled {
  /** By title. */
  readonly schemas: Record<string, Schema> = {};

  /** @param known target schemas of references in the document */
  constructor(private readonly known: Node) {}

  /** The same with references in place of titled schemas. @throws two schemas have the same title */
  without(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.without(item));
    if (!isNode(value)) return value;
    const entries = Object.entries(value).map(([name, member]) => [name, this.member(name, member)] as const);
    const node: Node = Object.fromEntries(entries);
    return typeof node.title === 'string' ? this.reference(node.title, node) : node;
  }

  private member(name: string, value: unknown): unknown {
    if (DATA.has(name)) return value;
    if (name !== 'content' || !isNode(value)) return this.without(value);
    return Object.fromEntries(Object.entries(value).map(([type, media]) => [type, this.media(media as Node)]));
  }

  /** The content of a media type keeps the example of its schema. */
  private media({ schema, example = this.exampleOf(schema), ...rest }: Node): Node {
    return { schema: this.without(schema), ...rest, ...(example !== undefined && { example }) };
  }

  /** An example composed of those of a schema and its parts. */
  private exampleOf(schema: unknown): unknown {
    if (!isNode(schema)) return undefined;
    const { example, type, items, properties, anyOf, $ref } = schema;
    if (example !== undefined) return example;
    if (typeof $ref === 'string') return this.exampleOf(this.known[$ref.slice(REFERENCE.length)]);
    if (Array.isArray(anyOf)) return this.exampleOf(anyOf[0]);
    if (isNode(items)) {
      const item = this.exampleOf(items);
      return item === undefined ? undefined : [item];
    }
    if (!isNode(properties)) return Array.isArray(type) && type.includes('null') ? null : undefined;
    const members = Object.entries(properties).map(([name, member]) => [name, this.exampleOf(member)] as const);
    const shown = members.filter(([, value]) => value !== undefined);
    return shown.length > 0 ? Object.fromEntries(shown) : undefined;
  }

  private reference(title: string, { title: _, ...schema }: Node): object {
    const known = this.schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`);
    this.schemas[title] = schema;
    return { $ref: REFERENCE + title };
  }
}

/** Moves schemas with a title from decorators to `components.schemas`, under that title. Contents of answers and requests keep examples. */
export const shareTitled = (document: OpenAPIObject): OpenAPIObject => {
  const titled = new Titled((document.components?.schemas ?? {}) as Node);
  const paths = titled.without(document.paths) as OpenAPIObject['paths'];
  const components = titled.without(document.components ?? {}) as NonNullable<OpenAPIObject['components']>;
  const schemas = { ...components.schemas, ...titled.schemas } as NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
  return { ...document, paths, components: { ...components, schemas } };
};
