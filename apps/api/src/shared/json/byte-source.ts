import type { JsonSource } from '#domain/shared/json/json-source.js';

const QUOTE = 0x22;

/** Long bodies are read from their bytes: decoding all of them at once would hold up every other request. */
export class ByteSource implements JsonSource {
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length;
  }

  at(position: number): number {
    return this.bytes[position] ?? 0;
  }

  quote(from: number): number {
    return this.bytes.indexOf(QUOTE, from);
  }

  slice(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }
}
