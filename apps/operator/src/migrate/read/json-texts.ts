import { DamagedExport } from './damaged-export.js';

/** The text of one document, and its first line, counted from 1. */
type DocumentText = Readonly<{ line: number; text: string }>;

/** Larger than any document of MongoDB (16 MiB) as text: endless input must not exhaust memory. */
const LONGEST_TEXT = 128 * 2 ** 20;
const LINE_FEED = 0x0a;
const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];
const BETWEEN = new Set([0x20, 0x09, 0x0d, 0x0a, 0x2c, 0x5b, 0x5d]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Beginning of a text that continues in the next chunk. */
class Held {
  private parts: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly line: () => number) {}

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.parts.push(part);
    this.bytes += part.length;
    if (this.bytes > LONGEST_TEXT) throw new DamagedExport(`line ${this.line()}: a document of more than ${LONGEST_TEXT} bytes`);
  }

  /** Returns the whole text with its end. */
  take(end: Buffer): string {
    const text = this.parts.length === 0 ? end.toString('utf8') : Buffer.concat([...this.parts, end]).toString('utf8');
    this.parts = [];
    this.bytes = 0;
    return text;
  }
}

/** Reads one document per line, so that a faulty line does not affect the others. */
async function* lines(chunks: AsyncIterable<Buffer>): AsyncGenerator<DocumentText> {
  let line = 1;
  const held = new Held(() => line);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const text = held.take(chunk.subarray(start, end));
      if (text.trim() !== '') yield { line, text };
      line += 1;
      start = end + 1;
    }
    held.add(chunk.subarray(start));
  }
  const text = held.take(Buffer.alloc(0));
  if (text.trim() !== '') yield { line, text };
}

/** Finds the beginnings and ends of documents, in an array or one after another, over any number of lines. */
class Braces {
  line = 1;
  private begun = 0;
  private depth = 0;
  private inText = false;
  private escaped = false;
  private readonly held = new Held(() => this.line);

  *in(chunk: Buffer): Generator<DocumentText> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === LINE_FEED) this.line += 1;
      if (this.inText) this.stepInText(byte);
      else if (byte === OPEN && this.depth === 0) {
        [start, this.begun, this.depth] = [at, this.line, 1];
      } else if (this.depth === 0) this.between(byte);
      else if (this.step(byte)) yield { line: this.begun, text: this.held.take(chunk.subarray(start, at + 1)) };
    }
    if (this.depth > 0) this.held.add(chunk.subarray(start));
  }

  end(): void {
    if (this.depth > 0) throw new DamagedExport(`line ${this.begun}: the document has no end`);
  }

  private between(byte: number): void {
    if (!BETWEEN.has(byte)) throw new DamagedExport(`line ${this.line}: no document begins here`);
  }

  /** Processes a byte in a document, outside its texts. Returns whether the document ends here. */
  private step(byte: number): boolean {
    if (byte === QUOTE) this.inText = true;
    else if (byte === OPEN) this.depth += 1;
    else if (byte === CLOSE) this.depth -= 1;
    return this.depth === 0;
  }

  private stepInText(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inText = false;
  }
}

async function* nested(chunks: AsyncIterable<Buffer>): AsyncGenerator<DocumentText> {
  const braces = new Braces();
  for await (const chunk of chunks) yield* braces.in(chunk);
  braces.end();
}

/** The first line of the input, and all of it again. Of an array only the first chunk: `--jsonArray` writes everything into one line. */
const peeked = async (chunks: AsyncIterable<Buffer>): Promise<{ first: string; all: AsyncIterable<Buffer> }> => {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let bytes = 0;
  while (bytes <= LONGEST_TEXT) {
    const { value, done } = await iterator.next();
    if (done) break;
    const chunk = seen.length === 0 && value.subarray(0, 3).equals(BYTE_ORDER_MARK) ? value.subarray(3) : value;
    seen.push(chunk);
    bytes += chunk.length;
    if (chunk.includes(LINE_FEED) || (seen.length === 1 && /^\s*\[/.test(chunk.toString('latin1', 0, 100)))) break;
  }
  const begin = Buffer.concat(seen);
  const end = begin.indexOf(LINE_FEED);
  async function* all(): AsyncGenerator<Buffer> {
    yield begin;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { first: begin.toString('utf8', 0, end < 0 ? begin.length : end).trim(), all: all() };
};

/**
 * The documents in a file of mongoexport: one per line, or an array of them (`--jsonArray`), possibly over many lines (`--pretty`).
 * @throws DamagedExport there is other content
 */
export async function* jsonTexts(chunks: AsyncIterable<Buffer>): AsyncGenerator<DocumentText> {
  const { first, all } = await peeked(chunks);
  const inLines = first.startsWith('{') && first.endsWith('}');
  yield* inLines || (first !== '' && !first.startsWith('[') && !first.startsWith('{')) ? lines(all) : nested(all);
}
