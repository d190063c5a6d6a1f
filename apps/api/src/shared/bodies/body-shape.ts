import { JsonReader, MalformedJson } from '#api/shared/json/json-reader.js';
import { JsonScan } from '#api/shared/json/json-scan.js';
import { setMember } from '#domain/shared/json/set-member.js';
import { bounded, component, type Shape as Described, type Schema } from '#domain/shared/shape.js';
import { atOnce, inSlices, type Pace, type Steps } from '#domain/shared/time-slice.js';
import { type Infer, mismatch, NEEDS_TEXT, type Shape, untold, type ValueCount } from './scalar-shapes.js';

export { flag, type Infer, integer, integer64, number, type Shape, text, textUpTo } from './scalar-shapes.js';

/** The same shape with another description, for a shape that describes less than is meant. */
export const described = <T>(shape: Shape<T>, schema: Described): Shape<T> => ({ ...shape, schema });

/** The same with bounds in OpenAPI. The reader of the shape has to check them. */
export const limited = <T>(shape: Shape<T>, words: Schema): Shape<T> => described(shape, bounded(shape.schema, words));

/** The same as a member that OpenAPI declares as required. The reader of the shape has to check that. */
export const due = <T>(shape: Shape<T>, schema: Described = shape.schema): Shape<T> => ({
  ...shape,
  schema,
  presence: 'due',
});

/** The same as a member that OpenAPI does not mention. */
export const unsaid = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, presence: 'unsaid' });

/** The same under a name that all its descriptions share. @param name unique among all schemas of the API */
export const named = <T>(name: string, shape: Shape<T>, description?: string): Shape<T> => ({
  ...shape,
  schema: component(name, shape.schema, description),
});

/** A member that may be absent or `null`; `undefined` in both cases. */
export const optional = <T>(shape: Shape<T>): Shape<T | undefined> => ({ ...shape, zero: () => undefined });

const readOrZero = <T>(shape: Shape<T>, reader: JsonReader): T => {
  if (reader.kind() !== 'null') return shape.read(reader);
  reader.null();
  return shape.zero();
};

/** Both ways of reading a value that may be long. */
export const inSteps = <T>(readInSteps: (reader: JsonReader, pace: Pace) => Steps<T>) => ({
  readInSteps,
  read: (reader: JsonReader): T => atOnce((pace) => readInSteps(reader, pace)),
});

/** Reads a part of another value in steps. */
function* readPart<T>(shape: Shape<T>, reader: JsonReader, pace: Pace): Steps<T> {
  const value = shape.readInSteps && reader.kind() !== 'null' ? yield* shape.readInSteps(reader, pace) : readOrZero(shape, reader);
  if (pace.isOver) yield;
  return value;
}

type Take<T> = (parsed: unknown, taken: ValueCount) => T;

/** {@link Shape.take} of a part of another value. */
const takePart = <T>({ zero, take }: Shape<T>): Take<T> | undefined =>
  take &&
  ((parsed, taken) => {
    taken.values += 1;
    return parsed === null ? zero() : take(parsed, taken);
  });

const isObject = (parsed: unknown): parsed is Record<string, unknown> =>
  typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);

export const list = <T>(element: Shape<T>): Shape<readonly T[]> => {
  const takeElement = takePart(element);
  const take = (parsed: unknown, taken: ValueCount): readonly T[] => {
    if (!Array.isArray(parsed) || !takeElement) return untold();
    for (let at = 0; at < parsed.length; at++) parsed[at] = takeElement(parsed[at], taken);
    return parsed;
  };
  return {
    zero: () => [],
    ...inSteps(function* (reader, pace) {
      if (reader.kind() !== 'array') return mismatch(reader, 'an array');
      const elements: T[] = [];
      for (reader.open(); !reader.closes(']'); ) elements.push(yield* readPart(element, reader, pace));
      return elements;
    }),
    ...(takeElement && { take }),
    schema: [element.schema],
  };
};

/** An object with any keys, in their order, also where they are integers; the last of equal keys wins. */
export const dictionaryInOrder = <T>(element: Shape<T>): Shape<ReadonlyMap<string, T>> => ({
  zero: () => new Map(),
  ...inSteps(function* (reader, pace) {
    if (reader.kind() !== 'object') return mismatch(reader, 'an object');
    const entries = new Map<string, T>();
    for (reader.open(); !reader.closes('}'); ) entries.set(reader.key(), yield* readPart(element, reader, pace));
    return entries;
  }),
  schema: { '*': element.schema },
});

/** An object with any keys; the last of equal keys wins. */
export const dictionary = <T>(element: Shape<T>): Shape<Readonly<Record<string, T>>> => {
  const takeElement = takePart(element);
  const take = (parsed: unknown, taken: ValueCount): Record<string, T> => {
    if (!isObject(parsed) || !takeElement) return untold();
    for (const key in parsed) parsed[key.isWellFormed() ? key : untold()] = takeElement(parsed[key], taken);
    return parsed as Record<string, T>;
  };
  return {
    zero: () => ({}),
    ...inSteps(function* (reader, pace) {
      if (reader.kind() !== 'object') return mismatch(reader, 'an object');
      const entries: Record<string, T> = {};
      for (reader.open(); !reader.closes('}'); ) setMember(entries, reader.key(), yield* readPart(element, reader, pace));
      return entries;
    }),
    ...(takeElement && { take }),
    schema: { '*': element.schema },
  };
};

type Members = Readonly<Record<string, Shape<unknown>>>;
type Struct<M extends Members> = { readonly [K in keyof M]: Infer<M[K]> };

type StructOptions = Readonly<{
  /** Keys that match a member: only its exact name, or the name in any letter case. Default `any-case`. */
  keys?: 'any-case' | 'exact';
  /** Effect of `null` after an equal key with a value: none, or a reset of the member to its zero value. Default `keep`. */
  onNull?: 'keep' | 'reset';
  /** Required members in OpenAPI: those that are due, or none, as for changes. Default `own`. */
  due?: 'own' | 'none';
}>;

type Member = readonly [name: string, shape: Shape<unknown>];

/** Finds the member for a key, if any. */
const finderOf = (members: readonly Member[], { keys = 'any-case' }: StructOptions): ((key: string) => Member | undefined) => {
  const byName = new Map(members.map((member) => [member[0], member]));
  if (keys === 'exact') return (key) => byName.get(key);
  const bySpelling = new Map(members.map((member) => [member[0].toLowerCase(), member]));
  return (key) => byName.get(key) ?? bySpelling.get(key.toLowerCase());
};

/** The members as described in OpenAPI. */
const describedMembers = (members: readonly Member[], { due }: StructOptions): Described =>
  Object.fromEntries(
    members.flatMap(([name, { presence, schema }]) => {
      if (presence === 'unsaid') return [];
      return [[presence === 'due' && due !== 'none' ? name : `${name}?`, schema]];
    }),
  );

const objectOf = (members: readonly Member[], valueIn: (name: string, shape: Shape<unknown>) => unknown): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const [name, shape] of members) values[name] = valueIn(name, shape);
  return values;
};

/** {@link Shape.take} of an object with known members: the parsed object itself if it has them all, in their order. */
const takeMembers = (members: readonly Member[]): Take<Record<string, unknown>> | undefined => {
  const names = members.map(([name]) => name);
  const takes = members.flatMap(([, shape]) => takePart(shape) ?? []);
  if (takes.length < names.length) return undefined;
  const byName = new Map(names.map((name, index) => [name, takes[index]]));
  return (parsed, taken) => {
    if (!isObject(parsed)) return untold();
    let inOrder = 0;
    for (const key in parsed) {
      const take = key === names[inOrder] ? takes[inOrder++] : byName.get(key);
      parsed[key] = (take ?? untold())(parsed[key], taken);
    }
    if (inOrder === names.length) return parsed;
    return objectOf(members, (name, { zero }) => (Object.hasOwn(parsed, name) ? parsed[name] : zero()));
  };
};

/** An object with known members; the result has all of them, in this order. */
export const struct = <M extends Members>(shapes: M, options: StructOptions = {}): Shape<Struct<M>> => {
  const members = Object.entries(shapes);
  const memberOf = finderOf(members, options);
  const resets = options.onNull === 'reset';
  const zero = () => objectOf(members, (_, shape) => shape.zero());
  const take = takeMembers(members);
  const shape: Shape<Record<string, unknown>> = {
    zero,
    ...inSteps(function* (reader, pace) {
      if (reader.kind() !== 'object') return mismatch(reader, 'an object');
      const values = zero();
      for (reader.open(); !reader.closes('}'); ) {
        const member = memberOf(reader.key());
        if (!member) yield* reader.skipInSteps(pace);
        else if (reader.kind() !== 'null' || resets) values[member[0]] = yield* readPart(member[1], reader, pace);
        else reader.null();
      }
      return values;
    }),
    ...(take && { take }),
    schema: describedMembers(members, options),
  };
  return shape as Shape<Struct<M>>;
};

/** Maps the values of another shape, including its zero value. */
export const mapped = <T, U>({ zero, read, take, readInSteps, ...said }: Shape<T>, map: (value: T) => U): Shape<U> => ({
  zero: () => map(zero()),
  read: (reader) => map(read(reader)),
  ...(take && { take: (parsed, taken) => map(take(parsed, taken)) }),
  ...(readInSteps && {
    *readInSteps(reader, pace) {
      return map(yield* readInSteps(reader, pace));
    },
  }),
  ...said,
});

/** Omits members of a struct that are empty texts. */
export const withoutEmpty = <T extends object, K extends keyof T>(
  shape: Shape<T>,
  ...members: readonly K[]
): Shape<Omit<T, K> & Partial<Pick<T, K>>> => {
  const trimmed: ReadonlySet<PropertyKey> = new Set(members);
  return mapped(shape, (value) => {
    const left: Partial<T> = {};
    for (const name in value) if (value[name] !== '' || !trimmed.has(name)) left[name] = value[name];
    return left as Omit<T, K> & Partial<Pick<T, K>>;
  });
};

/** A received body with the results of its scan. */
export type ReceivedBody = Readonly<{
  bytes: Buffer;
  /** True if it is exactly one JSON value. */
  isJson: boolean;
  /** Position after its first JSON value; `undefined` if it does not begin with one. */
  firstEnd: number | undefined;
  /** Number of values of any kind. */
  values: number;
}>;

const UNLIMITED = { values: Number.POSITIVE_INFINITY, levels: Number.POSITIVE_INFINITY, text: Number.POSITIVE_INFINITY };

export const scanned = (bytes: Buffer): ReceivedBody => {
  const scan = new JsonScan(UNLIMITED);
  scan.add(bytes);
  return { bytes, ...scan.end(), values: scan.values };
};

/**
 * Reads a whole body; `null` at the top level is an empty object. Invalid UTF-8 is read as U+FFFD. A received body was checked on arrival
 * and is not checked again. @throws MalformedJson
 */
export const readBody = <T>(shape: Shape<T>, body: Buffer | ReceivedBody | undefined): T => {
  const { bytes, isJson, values } = Buffer.isBuffer(body) ? scanned(body) : (body ?? NO_BODY);
  if (!isJson) throw new MalformedJson('not JSON');
  const json = bytes.toString('utf8');
  return takeWhole(shape, json, values) ?? readOrZero(shape, new JsonReader(bytes)); // parts of a text would keep all of it in memory
};

const NO_BODY: ReceivedBody = { bytes: Buffer.alloc(0), isJson: false, firstEnd: undefined, values: 0 };

/** Reads a text with this number of values by `JSON.parse`, if each appears under a key of the shape; else `undefined`: parse the text. */
const takeWhole = <T>(shape: Shape<T>, json: string, values: number): T | undefined => {
  const take = takePart(shape);
  if (!take) return undefined;
  const taken = { values: 0 };
  try {
    const value = take(JSON.parse(json), taken);
    return taken.values === values ? value : undefined;
  } catch (error) {
    if (error === NEEDS_TEXT) return undefined;
    throw error;
  }
};

/** Bodies up to this size are read in one go, within a few milliseconds. */
const SMALL = { bytes: 256 * 1024, values: 10_000 };

/** Like {@link readBody}, for a body of any size: a large one is read in slices. @throws MalformedJson */
export const readLargeBody = async <T>(shape: Shape<T>, body: ReceivedBody | undefined): Promise<T> => {
  if (!body?.isJson || (body.bytes.length <= SMALL.bytes && body.values <= SMALL.values)) return readBody(shape, body);
  const reader = new JsonReader(body.bytes);
  return inSlices((pace) => readPart(shape, reader, pace));
};

/** Like {@link readBody}, for the first JSON value of a body; the rest is ignored. @throws MalformedJson */
export const readFirst = <T>(shape: Shape<T>, body: ReceivedBody | undefined): T => {
  if (body?.firstEnd === undefined) throw new MalformedJson('not JSON');
  return readBody(shape, { ...body, bytes: body.bytes.subarray(0, body.firstEnd), isJson: true });
};
