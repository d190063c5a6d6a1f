import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Command } from 'commander';
import { addCommand, type Outcome } from '#api/cli/frame.js';
import { progressPrinter } from '#api/cli/progress.js';
import { LIMITS } from '#api/messaging/limits.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import type { Retention } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';
import type { Configuration } from '#infra/config/configuration.js';
import { importLog } from '#infra/copies/log-import.js';
import { copied } from './copied.js';
import { erasuresOf } from './erasures.js';
import { configurationOf, logToFill } from './log-stores.js';

const STANDARD_INPUT = '-';

const inputOf = (file: string): Readable => {
  if (file === STANDARD_INPUT) return process.stdin;
  const source = createReadStream(file, { highWaterMark: 2 ** 18 });
  return file.endsWith('.gz') ? pipeline(source, createGunzip({ chunkSize: 2 ** 18 }), () => {}) : source;
};

/** As the messaging service sets it for streams that it writes to. */
const retentionBy =
  ({ messagingRetentionSeconds }: Configuration) =>
  (stream: string, keyed: boolean): Retention =>
    categoryOf(stream) === MESSAGES_CATEGORY
      ? { maxAgeSeconds: messagingRetentionSeconds }
      : { maxCount: (keyed ? LIMITS.keyedCursorChanges : LIMITS.cursorChanges).value };

const run = async (file: string, erasuresFile: string | undefined): Promise<Outcome> => {
  const configuration = configurationOf();
  const erase = await erasuresOf(erasuresFile, configuration);
  const input = inputOf(file);
  if (file !== STANDARD_INPUT) await readable(input);
  const target = await logToFill(configuration);
  const printer = progressPrinter();
  try {
    const imported = await importLog({
      target,
      input,
      retentionOf: retentionBy(configuration),
      ...(erase && { beforeServing: () => erase(target) }),
      onProgress: (processed, total) => printer.show('import', { processed, total }),
    });
    return { value: imported, text: `imported size ${imported.size}, root ${imported.root}` };
  } finally {
    printer.end();
    input.destroy();
    await target.close();
  }
};

/** Nothing is created for a file that is not there. @throws the error of the file system */
const readable = (input: Readable): Promise<void> =>
  new Promise((resolve, reject) => {
    input.once('readable', resolve).once('error', (error) => ('syscall' in error ? reject(error) : resolve())); // the import says what is wrong with it
  });

export const addImportCommand = (program: Command): void => {
  addCommand<{ erasures?: string }>(program, {
    name: 'import <file>',
    description: 'writes an export into an empty log on either store; one that was killed goes on with the same file',
    example: 'logbook import 2026-03-01.ndjson.gz --erasures erasures.json',
    configure: (command) => command.option('--erasures <file>', 'answer of GET /ops/erasures: applied before anything is served'),
    run: ({ args: [file], options: { erasures } }) => copied(() => run(String(file), erasures)),
  });
};
