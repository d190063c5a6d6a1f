/** Source of a JSON walk: a text, or its UTF-8 bytes. Positions count characters or bytes. */
export interface JsonSource {
  readonly length: number;
  /** The character at a position if it is ASCII, otherwise some larger value; 0 beyond the end. */
  at(position: number): number;
  /** Position of the next quotation mark at or after `from`; negative if there is none. */
  quote(from: number): number;
  slice(start: number, end: number): string;
}

export class TextSource implements JsonSource {
  constructor(private readonly text: string) {}

  get length(): number {
    return this.text.length;
  }

  at(position: number): number {
    return position < this.text.length ? this.text.charCodeAt(position) : 0;
  }

  quote(from: number): number {
    return this.text.indexOf('"', from);
  }

  slice(start: number, end: number): string {
    return this.text.slice(start, end);
  }
}
