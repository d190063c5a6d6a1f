import avro from 'avsc';
import type { JsonObject } from '#domain/shared/events.js';
import type { Budget } from '#infra/edges/schemas/budget.js';
import { shortened } from '#infra/edges/schemas/json-schema/violations.js';
import { type AvroType, parseAvroSchema } from './avro-schema.js';

/** The bytes are not a datum of the schema. The message says where and why (messaging contract 5.4). */
export class DatumInvalid extends Error {
  override readonly name = 'DatumInvalid';
}

/** Maximum nesting depth of records, arrays, maps and unions. */
const DEEPEST = 2_000;
/** Longer messages omit further outer places, because names can have any length. */
const LONGEST = 10_000;

/** Skips and checks one value. @throws DatumInvalid */
type Skip = (reader: DatumReader) => void;

/** Reads the primitives of the encoding. */
export class DatumReader {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly budget: Budget,
  ) {}

  /** Bytes read so far. */
  get position(): number {
    return this.at;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new DatumInvalid('short buffer');
    this.at++;
    return value;
  }

  skip(count: number): void {
    if (count > this.left) throw new DatumInvalid('short buffer');
    this.at += count;
  }

  /** Reads a zigzag number of up to 64 bits; beyond 2^53 only sign and magnitude are exact. */
  long(): number {
    let byte = this.byte();
    const isNegative = (byte & 1) === 1;
    let value = byte & 0x7f;
    for (let place = 1; byte > 0x7f; place++) {
      byte = this.byte();
      if (place === 9 && byte > 1) throw new DatumInvalid('integer overflow');
      value += (byte & 0x7f) * 128 ** place;
    }
    return isNegative ? -(value + 1) / 2 : value / 2;
  }

  /** Reads a count of bytes. */
  size(): number {
    const size = this.long();
    if (size < 0) throw new DatumInvalid(`negative size: ${size}`);
    return size;
  }

  /** Reads a part one level deeper; names its place if it fails. */
  within(place: string, part: Skip): void {
    this.budget.spend(1);
    if (++this.depth > DEEPEST) throw new DatumInvalid('nests too deeply');
    try {
      part(this);
    } catch (error) {
      if (error instanceof DatumInvalid)
        throw error.message.length > LONGEST ? error : new DatumInvalid(`cannot decode binary ${place}: ${error.message}`);
      throw error;
    }
    this.depth--;
  }
}

const LEAST_INT = -(2 ** 31);
const bytes: Skip = (reader) => reader.within('bytes', () => reader.skip(reader.size()));

const PRIMITIVES: Readonly<Record<string, Skip>> = {
  null: (reader) => reader.within('null', () => {}), // counts as a step, because nulls take no bytes
  boolean: (reader) =>
    reader.within('boolean', () => {
      const byte = reader.byte();
      if (byte > 1) throw new DatumInvalid(`expected: Go byte(0) or byte(1); received: byte(${byte})`);
    }),
  int: (reader) =>
    reader.within('int', () => {
      const value = reader.long();
      if (value < LEAST_INT || value >= -LEAST_INT) throw new DatumInvalid(`value out of range: ${value}`);
    }),
  long: (reader) => reader.within('long', () => reader.long()),
  float: (reader) => reader.within('float', () => reader.skip(4)),
  double: (reader) => reader.within('double', () => reader.skip(8)),
  bytes,
  string: (reader) => reader.within('string', bytes),
};

/** Reads an index below `count`: of the symbols of an enum, or the types of a union. */
const choose = (reader: DatumReader, count: number): number => {
  const index = reader.long();
  if (index < 0 || index >= count) throw new DatumInvalid(`index must be between 0 and ${count - 1}; read index: ${index}`);
  return index;
};

/** Compiles each type of a schema once, because types may refer to each other in circles. */
export class Walker {
  private readonly known = new Map<AvroType, Skip>();

  skip(type: AvroType): Skip {
    const known = this.known.get(type);
    if (known) return known;
    let compiled: Skip | undefined;
    this.known.set(type, (reader) => compiled?.(reader));
    compiled = this.compile(type);
    this.known.set(type, compiled);
    return compiled;
  }

  private compile(type: AvroType): Skip {
    const { RecordType, EnumType, FixedType, ArrayType, MapType, UnwrappedUnionType, WrappedUnionType } = avro.types;
    const { name = '' } = type;
    if (type instanceof RecordType) {
      const fields = type.fields.map((field) => ({
        place: `record "${shortened(name)}" field "${shortened(field.name)}"`,
        skip: this.skip(field.type),
      }));
      return (reader) => {
        for (const { place, skip } of fields) reader.within(place, skip);
      };
    }
    if (type instanceof EnumType) return (reader) => reader.within(`enum "${shortened(name)}"`, () => choose(reader, type.symbols.length));
    if (type instanceof FixedType) return (reader) => reader.within(`fixed "${shortened(name)}"`, () => reader.skip(type.size));
    if (type instanceof ArrayType) {
      const item = this.skip(type.itemsType);
      return (reader) => reader.within('array', () => skipBlocks(reader, item));
    }
    if (type instanceof MapType) {
      const value = this.skip(type.valuesType);
      const pair: Skip = (reader) => {
        reader.within('map key', bytes);
        reader.within('map value', value);
      };
      return (reader) => reader.within('map', () => skipBlocks(reader, pair));
    }
    if (type instanceof UnwrappedUnionType || type instanceof WrappedUnionType) {
      const members = type.types.map((member) => this.skip(member));
      return (reader) => reader.within('union', () => members[choose(reader, members.length)]?.(reader));
    }
    return PRIMITIVES[type.typeName] ?? bytes;
  }
}

/**
 * Skips the blocks of an array or a map. A block may not have more items than the bytes that follow, even if its items take no bytes:
 * otherwise a datum of a few bytes could stand for any number of items.
 */
const skipBlocks = (reader: DatumReader, item: Skip): void => {
  for (let count = reader.long(); count !== 0; count = reader.long()) {
    if (count < 0 && reader.size() > reader.left) throw new DatumInvalid('short buffer'); // the size of a block is not used
    const items = Math.abs(count);
    if (items > reader.left) throw new DatumInvalid('short buffer');
    for (let index = 0; index < items; index++) item(reader);
  }
};

/** @throws DatumInvalid the bytes are not exactly one datum; TooMuchWork */
export type AvroSchema = (datum: Buffer, budget: Budget) => void;

/** Compiles an Avro schema for plain binary data, which are checked without decoding. @throws SchemaInvalid */
export const compileAvroSchema = (document: JsonObject): AvroSchema => {
  const skip = new Walker().skip(parseAvroSchema(document));
  return (datum, budget) => {
    const reader = new DatumReader(datum, budget);
    skip(reader);
    if (reader.left > 0) throw new DatumInvalid(`${reader.left} bytes left over after the datum`);
  };
};
