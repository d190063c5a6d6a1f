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

/** Types of {@link SCALARS}. */
type Values = Readonly<
  Record<'text' | 'day' | 'instant' | 'uuid' | 'uri' | 'base64', string> &
    Record<'integer' | 'number' | 'count', number> & { flag: boolean; null: null; any: unknown }
>;

/** The name of an optional member without its `?`. */
type NameOf<K> = K extends `${infer Name}?` ? Name : never;
type Needed<S> = Exclude<keyof S & string, `${string}?`>;
type Spared<S> = keyof S & `${string}?`;

/** The type of JSON that has this shape. `unknown` for a shape that the compiler does not know. */
export type Static<S> = Shape extends S
  ? unknown
  : S extends keyof Values
    ? Values[S]
    : S extends Component<infer Named> | Annotated<infer Named>
      ? Static<Named>
      : S extends Choice<infer One>
        ? Static<One>
        : S extends FullSchema<infer Value>
          ? Value
          : S extends readonly [infer Element]
            ? readonly Static<Element>[]
            : S extends { readonly '*': infer Further }
              ? Readonly<Record<string, Static<Further>>>
              : { readonly [K in Needed<S>]: Static<S[K]> } & { readonly [K in Spared<S> as NameOf<K>]?: Static<S[K]> };

/** A shape that is shared by name, under `components.schemas`. */
export class Component<out S = Shape> {
  constructor(
    readonly name: string,
    readonly shape: S,
    readonly description?: string,
    readonly shown?: unknown,
  ) {}

  /** The same, with an example of an answer that has this shape. */
  shownAs<W>(this: Component<W>, example: Static<W>): Component<W> {
    return new Component(this.name, this.shape, this.description, example);
  }

  /** Its own one, or one composed of those of its parts. @throws there is none */
  get example(): unknown {
    const example = this.shown ?? exampleOf(this.shape as Shape);
    if (example === undefined) throw new Error(`${this.name} has no example`);
    return example;
  }
}

class Choice<out O = Shape> {
  constructor(readonly shapes: readonly O[]) {}
}

/**
 * A shape with more keywords of JSON Schema: a description, bounds. Defaults of members belong in descriptions, because generators treat a
 * member with one as always present.
 */
export class Annotated<out S = Shape> {
  constructor(
    readonly shape: S,
    readonly words: Schema,
  ) {}

  /** @param schema of the shape */
  onto(schema: Schema): Schema {
    return { ...schema, ...this.words };
  }
}

/** A schema for values of this type. */
export class FullSchema<out T = unknown> {
  /** Only for the compiler. */
  declare readonly value?: T;

  constructor(readonly schema: Schema) {}
}

/** @param name unique among all components */
export const component = <const S extends Shape>(name: string, shape: S, description?: string): Component<S> =>
  new Component(name, shape, description);
export const either = <const O extends readonly Shape[]>(...shapes: O): Choice<O[number]> => new Choice(shapes);
export const nullable = <const S extends Shape>(shape: S): Choice<S | 'null'> => new Choice<S | 'null'>([shape, 'null']);
export const doc = <const S extends Shape>(shape: S, description: string, words: Schema = {}): Annotated<S> =>
  new Annotated(shape, { description, ...words });
export const bounded = <const S extends Shape>(shape: S, words: Schema): Annotated<S> => new Annotated(shape, words);
/** @typeParam T of its values */
export const schema = <T>(full: Schema): FullSchema<T> => new FullSchema<T>(full);
export const oneOf = <const T extends string>(...texts: readonly T[]): FullSchema<T> => new FullSchema<T>({ type: 'string', enum: texts });

/** The example of a shape, or one composed of those of its parts; `undefined` if they have none. */
export const exampleOf = (shape: Shape): unknown => {
  if (typeof shape === 'string') return shape === 'null' ? null : undefined;
  if (shape instanceof FullSchema) return shape.schema.example;
  if (shape instanceof Component) return shape.shown ?? exampleOf(shape.shape);
  if (shape instanceof Annotated) return shape.words.example ?? exampleOf(shape.shape);
  if (shape instanceof Choice) return shape.shapes.map(exampleOf).find((example) => example !== undefined);
  if (isList(shape)) {
    const element = exampleOf(shape[0]);
    return element === undefined ? undefined : [element];
  }
  const { '*': _, ...own } = shape;
  const members = Object.entries(own).map(([name, member]) => [name.replace(/\?$/, ''), exampleOf(member)] as const);
  const shown = members.filter(([, example]) => example !== undefined);
  return shown.length > 0 ? Object.fromEntries(shown) : undefined;
};

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
    if (shape instanceof Annotated) return shape.onto(this.of(shape.shape));
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

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
