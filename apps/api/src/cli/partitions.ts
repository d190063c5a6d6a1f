import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { NotToResume, PartitionOperator } from '#api/operations/projections/partition-operator.js';
import { partitionView } from '#api/operations/projections/projection-views.js';
import type { Runtime } from '#api/runtime.js';
import { systemContext } from '#infra/event-store/system-events.js';
import { SetAside } from '#infra/projection-runner/set-aside/set-aside.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CommandFailed } from './command-failed.js';
import { onRuntime, printRows } from './on-runtime.js';

type Output = Readonly<{ json?: boolean }>;

/** How often the outcome is looked for: milliseconds. */
const LOOK_EVERY = 100;
const LONGEST_REASON = 500;

const contextAt = (time: number): CommandContext => systemContext(`cli:${userInfo().username}`, 'ops', time);

const known = ({ readModels }: Runtime, name: string): void => {
  if (!readModels.names.includes(name)) throw new CommandFailed(`there is no projection ${name}; there are ${readModels.names.join(', ')}`);
};

/**
 * Acts, and sees to it that something comes of it: with this process's own runner where no server is at work.
 * @returns what is still set aside
 */
const settled = async (
  runtime: Runtime,
  name: string,
  act: (operator: PartitionOperator, context: CommandContext) => Promise<unknown>,
): Promise<SetAside> => {
  known(runtime, name);
  runtime.readModels.start([name]);
  try {
    await act(new PartitionOperator(runtime), contextAt(runtime.clock()));
  } catch (error) {
    throw error instanceof NotToResume ? new CommandFailed(error.message) : error;
  }
  for (;;) {
    const { setAside = SetAside.NONE } = (await runtime.readModels.status(name)) ?? {};
    if ([...setAside.groups.values()].every(({ resuming }) => !resuming)) return setAside;
    await sleep(LOOK_EVERY);
  }
};

/** Prints how what was asked for is now. @throws CommandFailed something of it is still set aside */
const show = (name: string, partition: string | undefined, setAside: SetAside, json: boolean): void => {
  const left = partition === undefined ? [...setAside.groups.values()] : [setAside.find(partition)].flatMap((group) => group ?? []);
  if (json) console.log(JSON.stringify({ items: left.map((group) => partitionView(partition ?? group.id, group)) }));
  else if (left.length === 0) console.log(`${partition ?? name} is served again`);
  const [first] = left;
  if (!first) return;
  const { position, type, message } = first.failure;
  throw new CommandFailed(`${partition ?? first.id} of ${name} stays set aside: ${type} at ${position} fails: ${message}`);
};

export const addPartitionCommands = (projections: Command): void => {
  projections
    .command('partitions')
    .argument('<name>', 'as `projections list` shows it')
    .description('what is set aside in a projection: partitions with an event that fails')
    .option('--json', 'one JSON object instead of columns')
    .addHelpText('after', '\nExample:\n  logbook projections partitions status.reports')
    .action((name: string, { json = false }: Output) =>
      onRuntime(async (runtime) => {
        known(runtime, name);
        const groups = await new PartitionOperator(runtime).groups(name);
        if (json) console.log(JSON.stringify({ items: groups.map((group) => partitionView(group.id, group)) }));
        else
          printRows(
            groups.map(({ id, waiting, resuming, failure: { position, type, message, at } }) => ({
              partition: id,
              state: resuming ? 'resuming' : 'set aside',
              held: waiting - 1,
              position: `${position}`,
              type,
              message,
              at,
            })),
            false,
          );
      }),
    );

  projections
    .command('resume')
    .argument('<name>', 'as `projections list` shows it')
    .argument('[partition]', 'as `projections partitions` shows it; default: all')
    .description('tries the event again at which a partition was set aside, then those that wait behind it')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  logbook projections resume status.reports tenant:6f1c2a34-…')
    .action((name: string, partition: string | undefined, { json = false }: Output) =>
      onRuntime(async (runtime) => {
        const left = await settled(runtime, name, (operator, context) =>
          partition === undefined ? operator.resumeAll(name, context) : operator.resume(name, partition, context),
        );
        show(name, partition, left, json);
      }),
    );

  projections
    .command('skip')
    .argument('<name>', 'as `projections list` shows it')
    .argument('<partition>', 'as `projections partitions` shows it')
    .requiredOption('--reason <text>', 'why; it stays in the log, so no personal data')
    .description('takes the event at which a partition was set aside out of the log for this projection, for good, then resumes')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  logbook projections skip status.reports tenant:6f1c2a34-… --reason "written by a faulty release"')
    .action((name: string, partition: string, { reason, json = false }: Readonly<{ reason: string }> & Output, command: Command) => {
      if (reason.length < 1 || reason.length > LONGEST_REASON)
        command.error(`error: the reason must have 1 to ${LONGEST_REASON} characters`, { exitCode: 2 });
      return onRuntime(async (runtime) => {
        const left = await settled(runtime, name, (operator, context) => operator.skip(name, partition, reason, context));
        show(name, partition, left, json);
      });
    });
};
