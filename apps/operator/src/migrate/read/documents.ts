import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BSON } from 'bson';
import { bsonBytes } from './bson-bytes.js';
import { DamagedExport } from './damaged-export.js';
import type { ExportedFile } from './exported-files.js';
import { parseExtended } from './extended-json.js';
import { type Fields, idText } from './fields.js';
import { jsonTexts } from './json-texts.js';

/** A document of an export, or its flaw. */
export type ReadDocument = Readonly<{
  /** Name of the file and number of the line or document, for reports. */
  place: string;
  /** Text of its `_id`; the place if it has none. */
  id: string;
}> &
  (Readonly<{ fields: Fields; broken?: undefined }> | Readonly<{ broken: string; fields?: undefined }>);

const CHUNK = 2 ** 18;

/** @param onBytes called with the number of bytes read from disk */
const bytesOf = (file: ExportedFile, onBytes: (bytes: number) => void): Readable => {
  const source = createReadStream(file.path, { highWaterMark: CHUNK });
  source.on('data', (chunk) => onBytes(chunk.length));
  return file.gzipped ? pipeline(source, createGunzip({ chunkSize: CHUNK }), () => {}) : source;
};

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const readAs = (place: string, parse: () => unknown): ReadDocument => {
  try {
    const fields = parse();
    if (!isFields(fields)) return { place, id: place, broken: 'it is no document' };
    return { place, id: idText(fields._id) ?? place, fields };
  } catch {
    return { place, id: place, broken: 'it cannot be read' }; // messages of parsers quote the data, which may be secret
  }
};

async function* documentsIn(file: ExportedFile, onBytes: (bytes: number) => void): AsyncGenerator<ReadDocument> {
  const bytes = bytesOf(file, onBytes);
  try {
    if (file.format === 'bson') {
      for await (const { number, bytes: document } of bsonBytes(bytes))
        yield readAs(`${file.path}:${number}`, () => BSON.deserialize(document, { promoteBuffers: true }));
    } else {
      for await (const { line, text } of jsonTexts(bytes)) yield readAs(`${file.path}:${line}`, () => parseExtended(text));
    }
  } finally {
    bytes.destroy();
  }
}

/**
 * The documents of a file in its order, one at a time. Numbers are JavaScript's, 64-bit ones beyond their range `Long`; dates are `Date`.
 * @throws DamagedExport with the place, when nothing more can be read
 */
export async function* documentsOf(file: ExportedFile, onBytes: (bytes: number) => void = () => {}): AsyncGenerator<ReadDocument> {
  try {
    yield* documentsIn(file, onBytes);
  } catch (error) {
    if (error instanceof DamagedExport) throw new DamagedExport(`${file.path}: ${error.message}`);
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw code.startsWith('Z_') ? new DamagedExport(`${file.path}: cannot be unpacked (${code})`) : error;
  }
}
