import type { Command } from 'commander';
import { addCommand, addGroup, DONE, FOUND } from '#operator/frame.js';
import type { PlanEntry } from './plan.js';
import { plans } from './plans.js';
import type { MigrateOptions } from './run-migration.js';

const REPORT = (service: string): string => `migration-${service}.json`;

const addPlan = (group: Command, { service, description, configure, load }: PlanEntry): void => {
  addCommand<MigrateOptions>(group, {
    name: `${service} <directory>`,
    description,
    example: `logbook migrate ${service} exports/${service} --dry-run`,
    configure: (command) => {
      command
        .option('--dry-run', 'says what would be taken and refused, and writes nothing but the report')
        .option('--report <file>', 'where the report goes, as JSON', REPORT(service))
        .option('--no-verify', 'does not build the read models and compare them with the files at the end');
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

/** `logbook migrate <service> <directory>`: brings the data of the original services over (docs/migration.md). */
export const addMigrateCommands = (program: Command): void => {
  const group = addGroup(
    program,
    'migrate',
    'brings the data of an original service over, from files of mongoexport or mongodump; the server must be stopped',
  );
  for (const plan of plans) addPlan(group, plan);
};
