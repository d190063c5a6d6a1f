import type { JsonObject } from '#domain/shared/events.js';
import { DamagedCopy } from './damaged-copy.js';
import { type EndLine, type EventLine, EXPORT_FORMAT, type ExpiredLine, type ExportHeader } from './export-lines.js';
import type { NumberedLine } from './read-lines.js';

/** @throws DamagedCopy with the number of the line */
export const doesNotFit = ({ number }: Pick<NumberedLine, 'number'>, why: string): DamagedCopy => new DamagedCopy(`line ${number}: ${why}`);

export type ParsedLine = EventLine | ExpiredLine | EndLine;

const HASH = /^[0-9a-f]{64}$/;
const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value);
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const objectIn = (line: NumberedLine): JsonObject => {
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    throw doesNotFit(line, 'is not JSON');
  }
  if (!isObject(value)) throw doesNotFit(line, 'is not a JSON object');
  return value;
};

/** The first line. @throws DamagedCopy */
export const parseHeader = (line: NumberedLine): ExportHeader => {
  const { logbook, format, installation, from, size, root, fromRoot } = objectIn(line);
  if (logbook !== 'export') throw doesNotFit(line, 'is not the first line of an export');
  if (format !== EXPORT_FORMAT) throw doesNotFit(line, `has format ${format}, this version reads ${EXPORT_FORMAT}`);
  const isSound = isText(installation) && isCount(from) && isCount(size) && from <= size && isHash(root);
  if (!isSound || (from > 0 && !isHash(fromRoot))) throw doesNotFit(line, 'is not the first line of an export');
  return { logbook, format, installation, from, size, root, ...(isHash(fromRoot) && { fromRoot }) };
};

/** Any other line. @throws DamagedCopy */
export const parseLine = (line: NumberedLine): ParsedLine => {
  const { index, position, stream, revision, id, type, metadata, data, hash, expired, end, lines } = objectIn(line);
  if (end === true && isCount(lines)) return { end, lines };
  if (expired === true && isCount(index) && isHash(hash)) return { index, hash, expired };
  const isEvent =
    isText(stream) && isCount(revision) && isText(id) && isText(type) && isText(position) && isObject(metadata) && isObject(data);
  if (!isEvent) throw doesNotFit(line, 'is no line of an export');
  const event = { position, stream, revision, id, type, metadata, data };
  if (index === null) return { index, ...event };
  if (isCount(index) && isHash(hash)) return { index, ...event, hash };
  throw doesNotFit(line, 'is no line of an export');
};
