/** JSON, as text or as the bytes of it in UTF-8. Places count characters or bytes; what is beyond the end reads as 0. */
export interface JsonSource {
  /** The character at a place where it is of ASCII; else some value beyond. */
  at(place: number): number;
  /** The place of the next quotation mark from `from` on. */
  quote(from: number): number;
  slice(start: number, end: number): string;
}

const QUOTE = 0x22;

export class TextSource implements JsonSource {
  constructor(private readonly text: string) {}

  at(place: number): number {
    return place < this.text.length ? this.text.charCodeAt(place) : 0;
  }

  quote(from: number): number {
    return this.text.indexOf('"', from);
  }

  slice(start: number, end: number): string {
    return this.text.slice(start, end);
  }
}

/** Long bodies are read from their bytes: to decode all of them at once would hold up everybody else. */
export class ByteSource implements JsonSource {
  constructor(private readonly bytes: Buffer) {}

  at(place: number): number {
    return this.bytes[place] ?? 0;
  }

  quote(from: number): number {
    return this.bytes.indexOf(QUOTE, from);
  }

  slice(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }
}
