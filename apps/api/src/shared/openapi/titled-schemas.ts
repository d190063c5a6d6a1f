import type { OpenAPIObject } from '@nestjs/swagger';
import type { Schema } from './shape.js';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Members whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Schemas by their titles. */
class Titled {
  readonly schemas: Record<string, Schema> = {};

  /** The same without schemas that have a title: references stand for them. @throws two schemas have one title */
  without(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.without(item));
    if (!isNode(value)) return value;
    const entries = Object.entries(value).map(([name, member]) => [name, DATA.has(name) ? member : this.without(member)] as const);
    const node: Node = Object.fromEntries(entries);
    return typeof node.title === 'string' ? this.reference(node.title, node) : node;
  }

  private reference(title: string, { title: _, ...schema }: Node): object {
    const known = this.schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`);
    this.schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }
}

/** Moves schemas that decorators gave a title to `components.schemas`, under that title. */
export const shareTitled = (document: OpenAPIObject): OpenAPIObject => {
  const titled = new Titled();
  const paths = titled.without(document.paths) as OpenAPIObject['paths'];
  const components = titled.without(document.components ?? {}) as NonNullable<OpenAPIObject['components']>;
  const schemas = { ...components.schemas, ...titled.schemas } as NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
  return { ...document, paths, components: { ...components, schemas } };
};
