import { JsonReader, MalformedJson } from '#api/shared/json/json-reader.js';
import { bounded, component, type Shape as Described, type Schema } from '#api/shared/openapi/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type Infer, mismatch, type Shape, type Taken, UNTOLD, untold } from './scalar-shapes.js';

export { flag, type Infer, integer, integer64, number, type Shape, text } from './scalar-shapes.js';

/** The same, described otherwise: what is read says less of itself than what is meant. */
export const described = <T>(shape: Shape<T>, schema: Described): Shape<T> => ({ ...shape, schema });

/** The same with bounds, as OpenAPI describes them; they are checked by who reads it. */
export const limited = <T>(shape: Shape<T>, words: Schema): Shape<T> => described(shape, bounded(shape.schema, words));

/** The same as a member that clients have to send, as OpenAPI says; whether they did is checked by who reads it. */
export const due = <T>(shape: Shape<T>, schema: Described = shape.schema): Shape<T> => ({
  ...shape,
  schema,
  presence: 'due',
});

/** The same as a member that OpenAPI does not mention. */
export const unsaid = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, presence: 'unsaid' });

/** The same under a name, by which all its descriptions share it. @param name unique among all schemas of the API */
export const named = <T>(name: string, shape: Shape<T>, description?: string): Shape<T> => ({
  ...shape,
  schema: component(name, shape.schema, description),
});

/** A member that may be absent or `null`: `undefined` then. */
export const optional = <T>(shape: Shape<T>): Shape<T | undefined> => ({ ...shape, zero: () => undefined });

const readOrZero = <T>(shape: Shape<T>, reader: JsonReader): T => {
  if (reader.kind() !== 'null') return shape.read(reader);
  reader.null();
  return shape.zero();
};

/** The same of a parsed value that is a part of another. @throws UNTOLD */
const takeOrZero = <T>(shape: Shape<T>, parsed: unknown, taken: Taken): T => {
  taken.values += 1;
  if (parsed === null) return shape.zero();
  return shape.take ? shape.take(parsed, taken) : untold();
};

const isObject = (parsed: unknown): parsed is Readonly<Record<string, unknown>> =>
  typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);

/** Reads a value, in slices if its shape can, and passes it to `take`. For shapes that consist of others. */
export const takeSliced = <T>(shape: Shape<T>, reader: JsonReader, slice: TimeSlice, take: (value: T) => unknown): Promise<void> | void => {
  if (shape.readInSlices && reader.kind() !== 'null') return shape.readInSlices(reader, slice).then((value) => void take(value));
  take(readOrZero(shape, reader));
};

/** Walks an array or object in slices. `step` is called before each element or key, and consumes it. */
const walkInSlices = async (reader: JsonReader, slice: TimeSlice, closing: '}' | ']', step: () => Promise<void> | void): Promise<void> => {
  reader.open();
  while (!reader.closes(closing)) {
    const pending = step();
    if (pending) await pending;
    if (slice.isOver) await slice.next();
  }
};

/** Calls `member` for each key of an object, like `JsonReader.object`, in slices. */
export const membersInSlices = (reader: JsonReader, slice: TimeSlice, member: (key: string) => Promise<void> | void): Promise<void> =>
  walkInSlices(reader, slice, '}', () => member(reader.key()));

export const list = <T>(element: Shape<T>): Shape<readonly T[]> => ({
  zero: () => [],
  read: (reader) => {
    if (reader.kind() !== 'array') return mismatch(reader, 'an array');
    const elements: T[] = [];
    reader.array(() => elements.push(readOrZero(element, reader)));
    return elements;
  },
  take: (parsed, taken) => (Array.isArray(parsed) ? parsed.map((item) => takeOrZero(element, item, taken)) : untold()),
  readInSlices: async (reader, slice) => {
    if (reader.kind() !== 'array') return mismatch(reader, 'an array');
    const elements: T[] = [];
    await walkInSlices(reader, slice, ']', () => takeSliced(element, reader, slice, (value) => elements.push(value)));
    return elements;
  },
  schema: [element.schema],
});

/** An object with any keys; the last of equal keys wins. */
export const dictionary = <T>(element: Shape<T>): Shape<Readonly<Record<string, T>>> => ({
  zero: () => ({}),
  read: (reader) => {
    if (reader.kind() !== 'object') return mismatch(reader, 'an object');
    const entries = new Map<string, T>();
    reader.object((key) => entries.set(key, readOrZero(element, reader)));
    return Object.fromEntries(entries); // defines members, so that `__proto__` is one like any other
  },
  take: (parsed, taken) =>
    isObject(parsed)
      ? Object.fromEntries(Object.entries(parsed).map(([key, item]) => [key.toWellFormed(), takeOrZero(element, item, taken)]))
      : untold(),
  readInSlices: async (reader, slice) => {
    if (reader.kind() !== 'object') return mismatch(reader, 'an object');
    const entries: Record<string, T> = {};
    const define = (key: string, value: T) => {
      if (key === '__proto__') Object.defineProperty(entries, key, { value, configurable: true, enumerable: true, writable: true });
      else entries[key] = value;
    };
    await membersInSlices(reader, slice, (key) => takeSliced(element, reader, slice, (value) => define(key, value)));
    return entries;
  },
  schema: { '*': element.schema },
});

type Members = Readonly<Record<string, Shape<unknown>>>;
type Struct<M extends Members> = { readonly [K in keyof M]: Infer<M[K]> };

export type StructOptions = Readonly<{
  /** Which keys name a member: its exact name only, or that in any letter case. Default `any-case`. */
  keys?: 'any-case' | 'exact';
  /** What `null` does to a value that an equal key before it gave: nothing, or it resets the member to its zero value. Default `keep`. */
  onNull?: 'keep' | 'reset';
  /** Which members clients have to send, as OpenAPI says: those that are due, or none, as of changes. Default `own`. */
  due?: 'own' | 'none';
}>;

/** Finds the name of the member that a key stands for, if any. */
const namesOf = (members: Members, { keys = 'any-case' }: StructOptions): ((key: string) => string | undefined) => {
  if (keys === 'exact') return (key) => (Object.hasOwn(members, key) ? key : undefined);
  const spellings = new Map(Object.keys(members).map((name) => [name.toLowerCase(), name]));
  return (key) => (Object.hasOwn(members, key) ? key : spellings.get(key.toLowerCase()));
};

/** The members as OpenAPI describes them. */
const describedMembers = (shapes: readonly (readonly [string, Shape<unknown>])[], { due }: StructOptions): Described =>
  Object.fromEntries(
    shapes.flatMap(([name, { presence, schema }]) => {
      if (presence === 'unsaid') return [];
      return [[presence === 'due' && due !== 'none' ? name : `${name}?`, schema]];
    }),
  );

/** An object with known members; the result has all of them, in this order. */
export const struct = <M extends Members>(members: M, options: StructOptions = {}): Shape<Struct<M>> => {
  const nameOf = namesOf(members, options);
  const resets = options.onNull === 'reset';
  const shapes = Object.entries(members);
  const byName = new Map(shapes);
  const zero = (): Record<string, unknown> => {
    const values: Record<string, unknown> = {};
    for (const [name, shape] of shapes) values[name] = shape.zero();
    return values;
  };
  const takeNull = (reader: JsonReader, values: Record<string, unknown>, name: string, shape: Shape<unknown>): void => {
    reader.null();
    if (resets) values[name] = shape.zero();
  };
  return {
    zero: () => zero() as Struct<M>,
    read: (reader) => {
      if (reader.kind() !== 'object') return mismatch(reader, 'an object');
      const values = zero();
      reader.object((key) => {
        const name = nameOf(key);
        const shape = name === undefined ? undefined : members[name];
        if (name === undefined || shape === undefined) reader.skipValue();
        else if (reader.kind() === 'null') takeNull(reader, values, name, shape);
        else values[name] = shape.read(reader);
      });
      return values as Struct<M>;
    },
    take: (parsed, taken) => {
      if (!isObject(parsed)) return untold();
      const values = zero();
      for (const key of Object.keys(parsed)) values[key] = takeOrZero(byName.get(key) ?? untold(), parsed[key], taken);
      return values as Struct<M>;
    },
    readInSlices: async (reader, slice) => {
      if (reader.kind() !== 'object') return mismatch(reader, 'an object');
      const values = zero();
      await membersInSlices(reader, slice, (key) => {
        const name = nameOf(key);
        const shape = name === undefined ? undefined : members[name];
        if (name === undefined || shape === undefined) return reader.skipInSlices(slice);
        if (reader.kind() === 'null') return takeNull(reader, values, name, shape);
        return takeSliced(shape, reader, slice, (value) => {
          values[name] = value;
        });
      });
      return values as Struct<M>;
    },
    schema: describedMembers(shapes, options),
  };
};

/** Maps the values of another shape, including its zero value. */
export const mapped = <T, U>({ zero, read, take, readInSlices, ...said }: Shape<T>, map: (value: T) => U): Shape<U> => ({
  zero: () => map(zero()),
  read: (reader) => map(read(reader)),
  ...(take && { take: (parsed, taken) => map(take(parsed, taken)) }),
  ...(readInSlices && { readInSlices: async (reader, slice) => map(await readInSlices(reader, slice)) }),
  ...said,
});

/** Leaves out the members of a struct that are empty texts. */
export const withoutEmpty = <T extends object, K extends keyof T>(
  shape: Shape<T>,
  ...members: readonly K[]
): Shape<Omit<T, K> & Partial<Pick<T, K>>> =>
  mapped(shape, (value) => {
    const trimmed: Omit<T, K> & Partial<Pick<T, K>> = { ...value };
    for (const member of members) if (trimmed[member] === '') delete trimmed[member];
    return trimmed;
  });

/** A received body, and what its scan found. */
export type ReceivedBody = Readonly<{
  bytes: Buffer;
  /** Whether it is one JSON value and nothing else. */
  isJson: boolean;
  /** The place after its first JSON value, whatever follows; `undefined` where it begins with none. */
  firstEnd: number | undefined;
  /** Number of values of any kind. */
  values: number;
}>;

/**
 * Reads a whole body; `null` at the top level is an empty object. Invalid UTF-8 reads as U+FFFD. A received body that is JSON was checked
 * while it came, and is not checked again. @throws MalformedJson
 */
export const readBody = <T>(shape: Shape<T>, body: Buffer | ReceivedBody | undefined): T => {
  if (body === undefined || Buffer.isBuffer(body)) return readOrZero(shape, JsonReader.over(body?.toString('utf8') ?? ''));
  const json = body.bytes.toString('utf8');
  if (!body.isJson) return readOrZero(shape, JsonReader.over(json));
  return takeWhole(shape, json, body.values) ?? readOrZero(shape, JsonReader.overChecked(json));
};

/** What `JSON.parse` tells of a text with so many values: each of them counts, under a key of the shape. `undefined`: it has to be read. */
const takeWhole = <T>(shape: Shape<T>, json: string, values: number): T | undefined => {
  const taken = { values: 0 };
  try {
    const value = takeOrZero(shape, JSON.parse(json), taken);
    return taken.values === values ? value : undefined;
  } catch (error) {
    if (error === UNTOLD) return undefined;
    throw error;
  }
};

/** Bodies up to this size are read at once, within a few milliseconds. */
const SMALL = { bytes: 256 * 1024, values: 10_000 };

/** The same as {@link readBody}, of a body of any size: a large one is read in slices. @throws MalformedJson */
export const readLargeBody = async <T>(shape: Shape<T>, body: ReceivedBody | undefined): Promise<T> => {
  if (!body || (body.bytes.length <= SMALL.bytes && body.values <= SMALL.values)) return readBody(shape, body);
  if (!body.isJson) throw new MalformedJson('not JSON');
  const reader = JsonReader.overChecked(body.bytes);
  if (reader.kind() === 'null' || !shape.readInSlices) return readOrZero(shape, reader);
  return shape.readInSlices(reader, new TimeSlice());
};

/** The same as {@link readBody}, of the first JSON value of a body, whatever follows it. @throws MalformedJson */
export const readFirst = <T>(shape: Shape<T>, body: ReceivedBody | undefined): T => {
  if (body?.firstEnd === undefined) throw new MalformedJson('not JSON');
  return readOrZero(shape, JsonReader.overChecked(body.bytes.subarray(0, body.firstEnd)));
};
