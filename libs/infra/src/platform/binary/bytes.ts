/** A growing buffer of variable-length numbers (seven bits per byte, lowest first) and texts with one byte per character. */
export class ByteWriter {
  private bytes = Buffer.allocUnsafe(1_024);
  length = 0;

  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.length++] = (rest % 0x80) | 0x80;
    this.bytes[this.length++] = rest;
  }

  /** Writes the length in bytes, then the text. */
  text(text: string): void {
    this.varint(text.length);
    this.reserve(text.length);
    for (let at = 0; at < text.length; at++) this.bytes[this.length++] = text.charCodeAt(at); // fast for short texts
  }

  raw(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.bytes, this.length);
  }

  /** Reserves bytes for the caller to fill. */
  room(length: number): Buffer {
    this.reserve(length);
    this.length += length;
    return this.bytes.subarray(this.length - length, this.length);
  }

  /** Valid until the next write. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + more));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}

/** Reads the output of a {@link ByteWriter}, which must have been checked. */
export class ByteReader {
  constructor(
    private readonly bytes: Buffer,
    /** Place of the next byte; beyond the end if the bytes end within a value. */
    public at = 0,
  ) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      if (byte < 0x80) return value + byte * scale;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    }
  }

  text(): string {
    const length = this.varint();
    this.at += length;
    return this.bytes.toString('latin1', this.at - length, this.at);
  }

  raw(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  skip(length: number): void {
    this.at += length;
  }
}
