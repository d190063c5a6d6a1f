import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { NoInstallation } from '#api/runtime/start-failure.js';
import { catalogues } from '#api/runtime/vocabulary.js';
import { type Configuration, loadConfiguration } from '#infra/platform/config/configuration.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { MissingMasterKey } from '#infra/stores/secrets/master-key.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { announceStores } from '#operator/announced-stores.js';
import { CommandFailed } from '#operator/command-failed.js';
import { isServed, logDirectory, logToRead } from '#operator/copies/log-stores.js';
import { masterKeyOf } from '#operator/doctor/key-checks.js';
import { Migration } from './migration.js';
import { MigrationProgress } from './progress.js';
import { type ExportedFile, exportedFiles } from './read/exported-files.js';
import { MigrationReport } from './report.js';
import { isCompared, type MigrationPlan, readingsOf, takeAll, verifyAll } from './table.js';
import { buildReadModels } from './verification.js';
import { LogWriter } from './write/log-writer.js';
import { dryTarget, type MigrationTarget, storesTarget } from './write/target.js';

export type MigrateOptions = Readonly<{ dryRun?: boolean; report?: string; verify?: boolean }>;

/** @throws CommandFailed */
const requireStopped = (configuration: Configuration): void => {
  if (isServed(configuration)) throw new CommandFailed(`a process has the log in ${logDirectory(configuration)} open: stop it first`);
};

/** Errors of an installation that was never started. */
const NOTHING_YET = [NoInstallation, MissingMasterKey];

type OpenTarget = Readonly<{ target: MigrationTarget; runtime?: Runtime; close: () => Promise<void> }>;

/** Opens the installation to be filled; a dry run creates nothing. */
const openTarget = async (configuration: Configuration, dryRun: boolean): Promise<OpenTarget> => {
  if (dryRun) return openToRead(configuration);
  announceStores(configuration, 'log and documents');
  const runtime = await openRuntime(configuration, createLogger('warn', process.stderr));
  const close = (): Promise<void> => runtime.close();
  try {
    return { runtime, close, target: await storesTarget(runtime) };
  } catch (error) {
    await close();
    throw error;
  }
};

const openToRead = async (configuration: Configuration): Promise<OpenTarget> => {
  let close = async (): Promise<void> => {};
  try {
    const { log, ...opened } = await logToRead(configuration);
    ({ close } = opened);
    const keys = await SubjectKeys.open({ store: log, masterKey: await masterKeyOf(log, configuration) });
    const codec = new EventCodec(catalogues, keys);
    return {
      close,
      target: dryTarget({ eventStore: log, decode: (events) => codec.decodeAll(events), credentialHashes: keys.credentialHashes }),
    };
  } catch (error) {
    await close();
    if (NOTHING_YET.some((kind) => error instanceof kind)) return { close: async () => {}, target: dryTarget() };
    throw error;
  }
};

const bytesOf = (files: readonly ExportedFile[], readings: (file: ExportedFile) => number): number =>
  files.reduce((sum, file) => sum + file.bytes * readings(file), 0);

/**
 * Takes over the exports in a directory into the configured installation.
 * @throws CommandFailed the directory or the installation does not allow it; earlier writes stay, and a second run continues
 */
export const runMigration = async (plan: MigrationPlan, directory: string, options: MigrateOptions): Promise<MigrationReport> => {
  const { dryRun = false, verify = true } = options;
  const found = await exportedFiles(directory);
  const files = plan.select(found, options);
  const configuration = loadConfiguration(process.env);
  if (!dryRun) requireStopped(configuration);
  const report = new MigrationReport({ service: plan.service, directory, dryRun }, options.report);
  for (const database of new Set(found.filter((file) => !files.includes(file)).map((file) => file.database)))
    report.note(`the files of the database ${database || 'without a name'} are not taken`);
  const progress = new MigrationProgress();
  const { target, runtime, close } = await openTarget(configuration, dryRun);
  try {
    const writer = new LogWriter(target, plan.service, dryRun);
    const migration = new Migration({ files, options, found: plan.findings(), target, writer, report, progress, dryRun, configuration });
    const readings = (file: ExportedFile): number => readingsOf(plan, file, options);
    migration.begin('taking', bytesOf(files, readings));
    await takeAll(plan, migration);
    await writer.flush();
    if (runtime && verify && !dryRun) {
      await buildReadModels(migration, runtime, plan.service);
      const compared = files.filter((file) => isCompared(plan, file) && !migration.passedOver.has(file));
      migration.begin(
        'verifying',
        bytesOf(compared, () => 1),
      );
      await verifyAll(plan, migration, runtime.readStore);
    }
    return report;
  } finally {
    progress.end();
    await report.end();
    await close();
  }
};
