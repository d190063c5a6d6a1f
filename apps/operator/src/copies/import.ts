import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Command } from 'commander';
import { LIMITS } from '#api/messaging/limits.js';
import { catalogues } from '#api/runtime/vocabulary.js';
import { DELIVERIES_CATEGORY } from '#domain/messaging/deliveries/delivery-events.js';
import { MESSAGES_CATEGORY, messagesStream } from '#domain/messaging/messages/message-events.js';
import { RESOURCES_CATEGORY } from '#domain/messaging/resources/resources.js';
import type { TopicSettings } from '#domain/messaging/resources/topic-settings.js';
import type { EventStore, Retention } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';
import { CopyRefused, DamagedCopy } from '#infra/edges/copies/damaged-copy.js';
import { newestImport } from '#infra/edges/copies/import-marker.js';
import type { TrustedKeys } from '#infra/edges/copies/import-trust.js';
import { type ImportedLog, importLog } from '#infra/edges/copies/log-import.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { WrongUsage } from '#operator/command-failed.js';
import { addCommand, type CommandOutcome } from '#operator/frame.js';
import { keysIn } from '#operator/json-files.js';
import { progressPrinter } from '#operator/progress.js';
import { copied } from './copied.js';
import { erasuresOf } from './erasures.js';
import { leaveKeysBehind } from './keys-left-behind.js';
import { configurationOf, logToFill } from './log-stores.js';

const STANDARD_INPUT = '-';
/** Events per read. */
const EVENTS_AT_ONCE = 1_000;
/** Shorter work shows no progress. */
const SILENT_MS = 2_000;

const inputOf = (file: string): Readable => {
  if (file === STANDARD_INPUT) return process.stdin;
  const source = createReadStream(file, { highWaterMark: 2 ** 18 });
  return file.endsWith('.gz') ? pipeline(source, createGunzip({ chunkSize: 2 ** 18 }), () => {}) : source;
};

/** Retention of topics in seconds, by the stream of their messages; topics without one are absent. */
const retentionsIn = async (log: Pick<EventStore, 'readAll'>): Promise<ReadonlyMap<string, number>> => {
  const retentions = new Map<string, number>();
  for (let after = 0n, caughtUp = false; !caughtUp; ) {
    const page = await log.readAll({ after, categories: [RESOURCES_CATEGORY], limit: EVENTS_AT_ONCE });
    for (const { type, data } of page.events) {
      if (type !== 'TopicCreated' && type !== 'TopicSettingsReplaced') continue;
      const { topicId, settings } = data as Readonly<{ topicId: string; settings?: TopicSettings }>;
      const seconds = settings?.messageRetentionSeconds;
      if (seconds === undefined) retentions.delete(messagesStream(topicId));
      else retentions.set(messagesStream(topicId), seconds);
    }
    ({ position: after, caughtUp } = page);
  }
  return retentions;
};

/** Retention as the messaging service sets it for streams that it writes. */
const retentionBy = ({ messagingRetentionSeconds }: Configuration, log: Pick<EventStore, 'readAll'>) => {
  let retentions: Promise<ReadonlyMap<string, number>> | undefined;
  return async (stream: string, keyed: boolean): Promise<Retention> => {
    const category = categoryOf(stream);
    if (category === MESSAGES_CATEGORY) {
      retentions ??= retentionsIn(log); // by then all events are written
      return { maxAgeSeconds: (await retentions).get(stream) ?? messagingRetentionSeconds };
    }
    const unkeyed = category === DELIVERIES_CATEGORY ? LIMITS.deliveryChanges : LIMITS.cursorChanges;
    return { maxCount: (keyed ? LIMITS.keyedCursorChanges : unkeyed).value };
  };
};

type ImportFlags = Readonly<{ keys?: string; unsignedTail?: boolean; unverified?: boolean; withKeys?: boolean; erasures?: string }>;

const NOT_VERIFIED = 'not verified: no keys given';

/** Keys that the operator trusts; `null`: the operator has stated trust in the author of the file. @throws WrongUsage */
const trustedIn = ({ keys, unsignedTail = false, unverified = false }: ImportFlags): TrustedKeys => {
  if (keys === undefined && !unverified)
    throw new WrongUsage(
      `error: ${NOT_VERIFIED}. Give --keys <file> with the public keys of the installation (\`logbook audit keys\`, or GET /audit/keys), or --unverified if you believe whoever made the file`,
    );
  if (keys !== undefined && unverified) throw new WrongUsage('error: give --keys or --unverified, not both');
  if (keys === undefined && unsignedTail) throw new WrongUsage('error: --unsigned-tail is for --keys');
  return keys === undefined ? null : keysIn(keys);
};

/** Remarks about trust and about keys in the file. */
const remarkOn = ({ size, signedTo }: ImportedLog, leftBehind: number): string | undefined => {
  const trust = signedTo === null ? NOT_VERIFIED : `signed up to size ${signedTo}, ${size - signedTo} later events are not`;
  const keys = `${leftBehind} access keys of the file are not in force here (--with-keys takes them over)`;
  return [...(signedTo === size ? [] : [trust]), ...(leftBehind === 0 ? [] : [keys])].join('; ') || undefined;
};

const run = async (file: string, flags: ImportFlags): Promise<CommandOutcome> => {
  const keys = trustedIn(flags);
  const configuration = configurationOf();
  const erase = await erasuresOf(flags.erasures, configuration);
  const input = inputOf(file);
  if (file !== STANDARD_INPUT) await readable(input);
  const check = file === STANDARD_INPUT ? undefined : inputOf(file);
  const { target, discard } = await logToFill(configuration);
  const printer = progressPrinter();
  const begun = performance.now();
  let leftBehind = 0;
  try {
    const imported = await importLog({
      target,
      input,
      check,
      catalogues,
      keys,
      unsignedTail: flags.unsignedTail === true,
      retentionOf: retentionBy(configuration, target),
      beforeServing: async () => {
        await erase?.(target);
        if (!flags.withKeys) leftBehind = await leaveKeysBehind(target, await newestImport(target));
      },
      onProgress: (processed, total, phase) => {
        if (performance.now() - begun > SILENT_MS) printer.show(phase, { processed, total });
      },
    });
    const { installation, size, root } = imported;
    const message = remarkOn(imported, leftBehind);
    return { value: { installation, size, root }, text: `imported size ${size}, root ${root}`, ...(message && { message }) };
  } catch (error) {
    if (error instanceof CopyRefused || error instanceof DamagedCopy) await discard();
    throw error;
  } finally {
    printer.end();
    input.destroy();
    check?.destroy();
    await target.close();
  }
};

/** Waits until the file can be read, so that nothing is created for a missing file. @throws the file system error */
const readable = (input: Readable): Promise<void> =>
  new Promise((resolve, reject) => {
    input.once('readable', resolve).once('error', (error) => ('syscall' in error ? reject(error) : resolve())); // the import reports these
  });

export const addImportCommand = (program: Command): void => {
  addCommand<ImportFlags>(program, {
    name: 'import <file>',
    description: 'writes an export into an empty log on either store; after a kill, it continues with the same file',
    example: 'logbook import 2026-03-01.ndjson.gz --keys jwks.json --erasures erasures.ndjson',
    configure: (command) =>
      command
        .option('--keys <file>', 'JWK set that you have kept: every anchor in the file must be signed with one of these keys')
        .option('--unsigned-tail', 'with --keys: also accepts events behind the last anchor, which are not signed')
        .option('--unverified', 'instead of --keys: trusts the author of the file')
        .option('--with-keys', 'access keys in the file stay active; by default none does')
        .option('--erasures <file>', 'answer of GET /ops/erasures, as application/x-ndjson: applied before anything is served'),
    run: ({ args: [file], options }) => copied(() => run(String(file), options)),
  });
};
