const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

/** A message ends too early, or contains a wire type unknown to the format. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/**
 * Reads the fields of a protobuf message in place, one after another: call `next`, then the method for the type of the field. Texts and
 * bytes are taken from the buffer without intermediate copies. If a field is not read, the next `next` skips it.
 */
export class ProtobufReader {
  /** Start and end of the current field, if it has a length. */
  private from = 0;
  private wire = -1;

  constructor(
    private readonly buffer: Buffer,
    private position = 0,
    private readonly end = buffer.length,
  ) {}

  /** Number of the next field; 0 at the end of the message. @throws MalformedMessage */
  next(): number {
    if (this.wire === VARINT) this.varint();
    if (this.position >= this.end) return 0;
    const key = this.varint();
    this.wire = key & 7;
    if (this.wire === DELIMITED) {
      const length = this.varint();
      this.wire = DELIMITED;
      this.from = this.position;
      this.position += length;
    } else if (this.wire === FIXED64) this.position += 8;
    else if (this.wire === FIXED32) this.position += 4;
    else if (this.wire !== VARINT) throw new MalformedMessage(`wire type ${this.wire}`);
    if (this.position > this.end) throw new MalformedMessage('a field is longer than its message');
    return key >>> 3;
  }

  /** An unsigned number; exact up to 2^53. */
  varint(): number {
    this.wire = -1;
    const { buffer } = this;
    let byte = buffer[this.position++] ?? cutOff();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = buffer[this.position++] ?? cutOff();
      value += (byte & 0x7f) * factor;
    }
    return value;
  }

  /** An unsigned number of 64 bits. */
  uint64(): bigint {
    const start = this.position;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value);
    let exact = 0n;
    for (let at = this.position - 1; at >= start; at--) exact = exact * 128n + BigInt((this.buffer[at] ?? 0) & 0x7f);
    return BigInt.asUintN(64, exact);
  }

  /** Decodes UTF-8. */
  text(): string {
    return this.buffer.toString('utf8', this.from, this.position);
  }

  /** Decodes text that is known to be ASCII. */
  ascii(): string {
    return this.buffer.toString('latin1', this.from, this.position);
  }

  get length(): number {
    return this.position - this.from;
  }

  /** A part of the buffer, not a copy. */
  bytes(): Buffer {
    return this.buffer.subarray(this.from, this.position);
  }

  /** The message in this field. */
  message(): ProtobufReader {
    return new ProtobufReader(this.buffer, this.from, this.position);
  }
}

const cutOff = (): never => {
  throw new MalformedMessage('a message ends inside of a number');
};

const sizeOfVarint = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
};

/** Size of a field with a length: key, length, content. The field number must be below 16. */
export const sizeOfField = (length: number): number => 1 + sizeOfVarint(length) + length;

/** Fills a buffer of a precomputed size. */
export class ProtobufWriter {
  position: number;

  constructor(
    readonly buffer: Buffer,
    start = 0,
  ) {
    this.position = start;
  }

  /** Writes key and length of a field. Its content must be written next. */
  open(field: number, length: number): this {
    this.buffer[this.position++] = (field << 3) | DELIMITED;
    return this.varint(length);
  }

  bytes(field: number, content: Uint8Array): this {
    this.open(field, content.length);
    this.buffer.set(content, this.position);
    this.position += content.length;
    return this;
  }

  /** Writes text that is known to be ASCII. */
  ascii(field: number, text: string): this {
    this.open(field, text.length);
    this.position += this.buffer.write(text, this.position, 'latin1');
    return this;
  }

  /** Adds a field that is already encoded, key included. */
  encoded(content: Uint8Array): this {
    this.buffer.set(content, this.position);
    this.position += content.length;
    return this;
  }

  private varint(value: number): this {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.buffer[this.position++] = (rest % 0x80) | 0x80;
    this.buffer[this.position++] = rest;
    return this;
  }
}

const varintBytes = (value: bigint): number[] => {
  const encoded: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) encoded.push(Number(rest & 0x7fn) | 0x80);
  encoded.push(Number(rest));
  return encoded;
};

/** Encodes a field with a number. Small messages are put together from such fields. */
export const numberField = (field: number, value: bigint | number): Buffer =>
  Buffer.from([(field << 3) | VARINT, ...varintBytes(BigInt(value))]);

/** Encodes a field with a text, bytes, or a message of encoded fields; without content: the empty message. */
export const field = (number: number, ...content: readonly (Uint8Array | string)[]): Buffer => {
  const pieces = content.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return Buffer.concat([Buffer.from([(number << 3) | DELIMITED, ...varintBytes(BigInt(length))]), ...pieces]);
};
