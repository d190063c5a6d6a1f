import type { Command } from 'commander';
import { addCommand, addGroup, DONE, FOUND } from '#operator/frame.js';
import { type PlanEntry, plans } from './plans.js';
import type { MigrateOptions } from './run-migration.js';

const REPORT = (service: string): string => `migration-${service}.json`;

const addPlan = (group: Command, { service, description, configure, load }: PlanEntry): void => {
  addCommand<MigrateOptions>(group, {
    name: `${service} <directory>`,
    description,
    example: `logbook migrate ${service} exports/${service} --dry-run`,
    configure: (command) => {
      command
        .option('--dry-run', 'reports what would be taken over and refused, and writes nothing but the report')
        .option('--report <file>', 'file of the report, as JSON', REPORT(service))
        .option('--no-verify', 'skips building the read models and comparing them with the files at the end');
      configure?.(command);
    },
    run: async ({ args: [directory], options }) => {
      const { runMigration } = await import('./run-migration.js');
      const report = await runMigration(await load(), String(directory), options);
      return {
        value: report.summary(),
        text: report.text(),
        code: report.problem === undefined ? DONE : FOUND,
        ...(report.problem !== undefined && { message: `${report.problem}: see ${report.path}` }),
      };
    },
  });
};

/** Adds `logbook migrate <service> <directory>`, which takes over the data of the original services (docs/migration.md). */
export const addMigrateCommands = (program: Command): void => {
  const group = addGroup(
    program,
    'migrate',
    'takes over the data of an original service, from files of mongoexport or mongodump; the server must be stopped',
  );
  for (const plan of plans) addPlan(group, plan);
};
