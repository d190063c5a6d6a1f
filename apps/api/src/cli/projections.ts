import type { Command } from 'commander';
import type { RebuildProgress } from '#infra/projection-runner/rebuild/rebuild-lease.js';
import { CommandFailed } from './command-failed.js';
import { onRuntime, printRows } from './on-runtime.js';
import { addPartitionCommands } from './partitions.js';
import { progressPrinter } from './progress.js';

type Output = Readonly<{ json?: boolean }>;

export const addProjectionsCommands = (program: Command): void => {
  const projections = program.command('projections').description('the read models');

  projections
    .command('list')
    .description('position, lag and size of every projection')
    .option('--json', 'one JSON object instead of columns')
    .addHelpText('after', '\nExample:\n  logbook projections list --json')
    .action(({ json = false }: Output) =>
      onRuntime(async ({ readModels }) => {
        const statuses = await Promise.all(readModels.names.map((name) => readModels.status(name)));
        const rows = statuses.flatMap((status) => {
          if (!status) return [];
          const { name, version, service, position, head, lag, documents, setAside, rebuild } = status;
          return [
            {
              name,
              version,
              service,
              position: `${position}`,
              head: `${head}`,
              lagEvents: lag.events,
              lagSeconds: lag.seconds,
              documents,
              setAside: setAside.size,
              rebuild: rebuild?.state ?? null,
            },
          ];
        });
        printRows(rows, json);
      }),
    );

  projections
    .command('rebuild')
    .argument('<name...>', 'names as `projections list` shows them')
    .description('builds the documents anew from the log beside those that are served, then switches in one step')
    .option('--json', 'the last state of each rebuild as one JSON object a line')
    .addHelpText('after', '\nExample:\n  logbook projections rebuild status.tenants')
    .action((names: readonly string[], { json = false }: Output) =>
      onRuntime(async ({ readModels }) => {
        const unknown = names.filter((name) => !readModels.names.includes(name));
        if (unknown.length > 0)
          throw new CommandFailed(`there is no projection ${unknown.join(', ')}; there are ${readModels.names.join(', ')}`);
        for (const name of names) {
          const printer = progressPrinter(process.stderr);
          const done: RebuildProgress = await readModels.rebuild(name, { onProgress: printer.show }).finally(printer.end);
          console.log(json ? JSON.stringify(done) : `${name}: ${done.processed} events, ${done.state}`);
        }
      }),
    );

  addPartitionCommands(projections);
};
