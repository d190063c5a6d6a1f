/** A JSON Schema (draft 2020-12, as in OpenAPI 3.1). */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * JSON in short: `'text'`, `[element]` for a list, `{ member: shape }` for an object with these members, to which later releases may add. A
 * member whose name ends with `?` may be absent; the name `*` stands for any other member. Also a {@link Component}, a {@link Choice}, a
 * shape with a description or bounds, made by {@link doc} and {@link bounded}, or a schema in full, made by {@link schema}.
 */
export type Shape =
  | keyof typeof SCALARS
  | Component
  | Choice
  | Annotated
  | FullSchema
  | readonly [Shape]
  | { readonly [member: string]: Shape };

const SCALARS = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  /** Only `null`. */
  null: { type: 'null' },
  day: { type: 'string', format: 'date' },
  /** In UTC, as RFC 3339. */
  instant: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  uri: { type: 'string', format: 'uri' },
  base64: { type: 'string', contentEncoding: 'base64' },
  /** A number of things. */
  count: { type: 'integer', minimum: 0 },
  any: {},
} as const satisfies Record<string, Schema>;

/** A shape that is shared by name, under `components.schemas`. */
export class Component {
  constructor(
    readonly name: string,
    readonly shape: Shape,
    readonly description?: string,
    private readonly shown?: unknown,
  ) {}

  /** The same, with an example of an answer that has this shape. */
  shownAs(example: unknown): Component {
    return new Component(this.name, this.shape, this.description, example);
  }

  /** @throws there is none */
  get example(): unknown {
    if (this.shown === undefined) throw new Error(`${this.name} has no example`);
    return this.shown;
  }
}

class Choice {
  constructor(readonly shapes: readonly Shape[]) {}
}

/**
 * A shape with more keywords of JSON Schema: a description, bounds. Defaults of members belong in descriptions, because generators treat a
 * member with one as always present.
 */
class Annotated {
  constructor(
    readonly shape: Shape,
    readonly words: Schema,
  ) {}
}

export class FullSchema {
  constructor(readonly schema: Schema) {}
}

/** @param name unique among all components */
export const component = (name: string, shape: Shape, description?: string): Component => new Component(name, shape, description);
export const either = (...shapes: readonly Shape[]): Choice => new Choice(shapes);
export const nullable = (shape: Shape): Choice => new Choice([shape, 'null']);
export const doc = (shape: Shape, description: string, words: Schema = {}): Annotated => new Annotated(shape, { description, ...words });
export const bounded = (shape: Shape, words: Schema): Annotated => new Annotated(shape, words);
export const schema = (full: Schema): FullSchema => new FullSchema(full);
export const oneOf = (...texts: readonly string[]): FullSchema => new FullSchema({ type: 'string', enum: texts });

/** Converts shapes to schemas, and collects the components that they use. */
export class Schemas {
  /** By name. */
  readonly components: Record<string, Schema> = {};
  private readonly known = new Map<string, Component>();

  /** @throws two components have the same name */
  of(shape: Shape): Schema {
    if (typeof shape === 'string') return SCALARS[shape];
    if (shape instanceof FullSchema) return shape.schema;
    if (shape instanceof Component) return this.reference(shape);
    if (shape instanceof Choice) return this.choice(shape);
    if (shape instanceof Annotated) return { ...this.of(shape.shape), ...shape.words };
    if (isList(shape)) return { type: 'array', items: this.of(shape[0]) };
    return this.object(shape);
  }

  private choice({ shapes }: Choice): Schema {
    const schemas = shapes.map((shape) => this.of(shape));
    const [first, second] = schemas;
    // `null` with a single other type keeps the format and bounds of that type.
    if (schemas.length === 2 && second?.type === 'null' && typeof first?.type === 'string' && !('enum' in first))
      return { ...first, type: [first.type, 'null'] };
    const types = schemas.map((one) => (Object.keys(one).length === 1 ? one.type : undefined));
    return types.every((type) => typeof type === 'string') ? { type: types } : { anyOf: schemas };
  }

  private reference(one: Component): Schema {
    const { name, shape, description } = one;
    const known = this.known.get(name);
    if (known && known !== one) throw new Error(`two schemas have the name ${name}`);
    if (!known) {
      this.known.set(name, one);
      this.components[name] = { ...(description !== undefined && { description }), ...this.of(shape) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private object(members: Readonly<Record<string, Shape>>): Schema {
    const { '*': further, ...own } = members;
    const names = Object.keys(own);
    const required = names.filter((name) => !name.endsWith('?'));
    const properties = names.map((name) => [name.replace(/\?$/, ''), this.of(own[name] as Shape)]);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(names.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(further !== undefined && { additionalProperties: this.of(further) }),
    };
  }
}

/** The schema of a shape without components. */
export const schemaOf = (shape: Readonly<{ schema: Shape }>): Schema => new Schemas().of(shape.schema);

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
