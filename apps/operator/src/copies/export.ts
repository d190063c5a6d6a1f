import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { catalogues } from '#api/runtime/vocabulary.js';
import { DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { checkedLines, readBack } from '#infra/edges/copies/export-check.js';
import { exportLog, type LogExport } from '#infra/edges/copies/log-export.js';
import { flush, flushParent } from '#infra/platform/lmdb/write-file-durably.js';
import { printable } from '#infra/platform/logging/printable.js';
import { WrongUsage } from '#operator/command-failed.js';
import { addCommand, type CommandOutcome } from '#operator/frame.js';
import { copied } from './copied.js';
import { configurationOf, logToRead } from './log-stores.js';

const STANDARD_OUTPUT = '-';
/** Characters per write. */
const CHUNK = 128 * 2 ** 10;

async function* chunksOf(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let [waiting, characters]: [string[], number] = [[], 0];
  for await (const line of lines) {
    waiting.push(line, '\n');
    characters += line.length;
    if (characters < CHUNK) continue;
    yield Buffer.from(waiting.join(''));
    [waiting, characters] = [[], 0];
  }
  if (waiting.length > 0) yield Buffer.from(waiting.join(''));
}

/** Escapes lines for a terminal. */
async function* printed(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield printable(line);
}

/** Writes under a temporary name, and renames the file once it is complete. */
const writeTo = async (file: string, exported: LogExport): Promise<void> => {
  const sourceOf = (lines: AsyncIterable<string>): Readable => Readable.from(chunksOf(lines), { objectMode: false, highWaterMark: 1 });
  if (file === STANDARD_OUTPUT) return pipeline(sourceOf(printed(checkedLines(exported))), process.stdout, { end: false });
  const partial = `${file}.partial`;
  const isPacked = file.endsWith('.gz');
  try {
    const packed = isPacked ? createGzip() : new PassThrough();
    await pipeline(sourceOf(exported.lines), packed, createWriteStream(partial, { mode: 0o600 }));
    await flush(partial);
    const unpacked = isPacked ? createGunzip() : new PassThrough();
    await pipeline(createReadStream(partial), unpacked, (written) => readBack(exported, written));
    await rename(partial, file);
    flushParent(file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error instanceof DamagedCopy ? new DamagedCopy(`nothing was exported: ${error.message}`) : error;
  }
};

const sizeOf = (text: string | undefined): number => {
  if (text === undefined) return 0;
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) throw new WrongUsage(`--from ${text}: give the size of an anchor`);
  return Number(text);
};

const run = async (file: string, from: number): Promise<CommandOutcome> => {
  const { log: events, close } = await logToRead(configurationOf());
  try {
    const exported = await exportLog({ events, from, catalogues });
    await writeTo(file, exported);
    const { installation, size, root } = exported.header;
    const message = `exported up to size ${size}, root ${root}`;
    if (file === STANDARD_OUTPUT) return { message };
    return { value: { file, installation, from, size, root }, text: message };
  } finally {
    await close();
  }
};

export const addExportCommand = (program: Command): void => {
  addCommand<{ from?: string }>(program, {
    name: 'export <file>',
    description:
      'writes all events as lines of JSON, from either store, even while a server runs, which makes a copy of an embedded log first; a name with .gz is compressed, - is standard output',
    example: 'logbook export 2026-03-01.ndjson.gz',
    configure: (command) => command.option('--from <size>', 'size of an anchor: only later events are written'),
    run: ({ args: [file], options: { from } }) => copied(() => run(String(file), sizeOf(from))),
  });
};
