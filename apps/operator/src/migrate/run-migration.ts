import { existsSync } from 'node:fs';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { MissingReadModels, NoInstallation } from '#api/runtime/start-failure.js';
import { type Configuration, loadConfiguration } from '#infra/platform/config/configuration.js';
import { dataFile } from '#infra/platform/lmdb/examination.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { MissingMasterKey } from '#infra/stores/secrets/master-key.js';
import { CommandFailed } from '#operator/command-failed.js';
import { logDirectory } from '#operator/copies/log-stores.js';
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
  if (configuration.eventStoreUrl) return;
  const path = logDirectory(configuration);
  if (isLocked(path)) throw new CommandFailed(`a process has the log in ${path} open: stop it first`);
};

const hasLog = (configuration: Configuration): boolean =>
  configuration.eventStoreUrl !== undefined || existsSync(dataFile(logDirectory(configuration)));

/** Errors of an installation that was never started. */
const NOTHING_YET = [NoInstallation, MissingReadModels, MissingMasterKey];

/** Opens the installation to be filled; a dry run creates nothing. */
const openTarget = async (configuration: Configuration, dryRun: boolean): Promise<{ target: MigrationTarget; runtime?: Runtime }> => {
  const logger = createLogger('warn', process.stderr);
  if (!dryRun) {
    const runtime = await openRuntime(configuration, logger);
    try {
      return { runtime, target: await storesTarget(runtime) };
    } catch (error) {
      await runtime.close();
      throw error;
    }
  }
  if (!hasLog(configuration)) return { target: dryTarget() };
  try {
    const runtime = await openRuntime(configuration, logger, { readOnly: true });
    return { runtime, target: dryTarget(runtime) };
  } catch (error) {
    if (NOTHING_YET.some((kind) => error instanceof kind)) return { target: dryTarget() };
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
  const { target, runtime } = await openTarget(configuration, dryRun);
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
    await runtime?.close();
  }
};
