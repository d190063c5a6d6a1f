import type { Json, JsonObject } from '#domain/shared/events.js';
import { jsonTextSize } from '#domain/shared/json/json-size.js';
import { isDeeper, MOST_LEVELS } from '#domain/shared/json/levels.js';
import { isJsonObject } from '#domain/shared/marks.js';
import { DamagedCopy } from './damaged-copy.js';
import { isCount, isHash, isText } from './event-flaws.js';
import { type EndLine, type EventLine, EXPORT_FORMAT, type ExpiredLine, type ExportHeader } from './export-lines.js';
import type { NumberedLine } from './read-lines.js';

/** @throws DamagedCopy with the number of the line */
export const doesNotFit = ({ number }: Pick<NumberedLine, 'number'>, why: string): DamagedCopy => new DamagedCopy(`line ${number}: ${why}`);

type ParsedLine = EventLine | ExpiredLine | EndLine;

/** Far above the values of any event, because request bodies are bounded. The data are a member of the line. */
const MAX = { levels: MOST_LEVELS + 1, values: 8_000_000 };
/** A longer line is checked before it is parsed, so that it cannot exhaust memory. */
const LONG_LINE = 2 ** 20;

const objectIn = (line: NumberedLine): JsonObject => {
  const { text } = line;
  if (text.length > LONG_LINE && isTooMuch(text)) throw doesNotFit(line, TOO_MUCH);
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw doesNotFit(line, 'is not JSON');
  }
  if (!isJsonObject(value)) throw doesNotFit(line, 'is not a JSON object');
  if (isDeeper(value, MAX.levels)) throw doesNotFit(line, TOO_MUCH);
  return value;
};

const TOO_MUCH = 'has more levels or values than an event has';

const isTooMuch = (text: string): boolean => {
  const { levels, values } = jsonTextSize(text, 0, MAX);
  return levels > MAX.levels || values > MAX.values;
};

/** Parses the first line. @throws DamagedCopy */
export const parseHeader = (line: NumberedLine): ExportHeader => {
  const { logbook, format, installation, from, size, root, fromRoot } = objectIn(line);
  if (logbook !== 'export') throw doesNotFit(line, 'is not the first line of an export');
  if (format !== EXPORT_FORMAT) throw doesNotFit(line, `has format ${format}, this version reads ${EXPORT_FORMAT}`);
  const isSound = isText(installation) && isCount(from) && isCount(size) && from <= size && isHash(root);
  if (!isSound || (from > 0 && !isHash(fromRoot))) throw doesNotFit(line, 'is not the first line of an export');
  return { logbook, format, installation, from, size, root, ...(isHash(fromRoot) && { fromRoot }) };
};

/** Parses any other line. @throws DamagedCopy */
export const parseLine = (line: NumberedLine): ParsedLine => {
  const { index, position, stream, revision, id, type, metadata, data, hash, expired, end, lines } = objectIn(line);
  if (end === true && isCount(lines)) return { end, lines };
  if (expired === true && isCount(index) && isHash(hash)) return { index, hash, expired };
  const isEvent =
    isText(stream) && isCount(revision) && isText(id) && isText(type) && isText(position) && isJsonObject(metadata) && isJsonObject(data);
  if (!isEvent) throw doesNotFit(line, 'is no line of an export');
  const event = { position, stream, revision, id, type, metadata, data };
  if (index === null) return { index, ...event };
  if (isCount(index) && isHash(hash)) return { index, ...event, hash };
  throw doesNotFit(line, 'is no line of an export');
};
