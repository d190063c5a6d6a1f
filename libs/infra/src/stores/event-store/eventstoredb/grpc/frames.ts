/** Head of each gRPC message: a compression flag, which is never set here, and the length in four bytes. */
export const FRAME_HEAD = 5;

export const writeFrameHead = (buffer: Buffer, length: number): void => {
  buffer[0] = 0;
  buffer.writeUInt32BE(length, 1);
};

export const frame = (message: Buffer): Buffer => {
  const framed = Buffer.allocUnsafe(FRAME_HEAD + message.length);
  writeFrameHead(framed, message.length);
  framed.set(message, FRAME_HEAD);
  return framed;
};

/** The server writes events of up to 16 MiB. */
const MAX_MESSAGE = 17 * 1024 * 1024;

/** Splits incoming data, which may be cut anywhere, into messages. */
export class Deframer {
  private rest: Buffer[] = [];
  private length = 0;
  /** Number of bytes needed before anything can be decoded. */
  private wanted = FRAME_HEAD;

  constructor(private readonly take: (message: Buffer) => void) {}

  /** Passes on whole messages, as parts of `chunk` where possible. @throws Error the data are no gRPC, compressed, or too large */
  push(chunk: Buffer): void {
    if (this.length + chunk.length < this.wanted) {
      this.rest.push(chunk);
      this.length += chunk.length;
      return;
    }
    const buffer = this.length === 0 ? chunk : Buffer.concat([...this.rest, chunk]);
    let position = 0;
    for (;;) {
      this.wanted = FRAME_HEAD;
      if (buffer.length - position < FRAME_HEAD) break;
      this.wanted += lengthAt(buffer, position);
      const end = position + this.wanted;
      if (buffer.length < end) break;
      this.take(buffer.subarray(position + FRAME_HEAD, end));
      position = end;
    }
    this.length = buffer.length - position;
    this.rest = this.length === 0 ? [] : [buffer.subarray(position)];
  }
}

const lengthAt = (buffer: Buffer, position: number): number => {
  const length = buffer.readUInt32BE(position + 1);
  if (buffer[position] !== 0 || length > MAX_MESSAGE) throw new Error(`a message of ${length} bytes, flag ${buffer[position]}`);
  return length;
};
