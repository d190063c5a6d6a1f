import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { NotToResume, PartitionOperator } from '#api/operations/projections/partition-operator.js';
import { partitionView } from '#api/operations/projections/projection-views.js';
import type { Runtime } from '#api/runtime/runtime.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { CommandFailed, WrongUsage } from './command-failed.js';
import { addCommand, FAILED, type Outcome } from './frame.js';
import { operatorContext } from './operator.js';
import type { OpsClient } from './ops-client.js';

/** How often the outcome is looked for: milliseconds. */
const LOOK_EVERY = 100;
const LONGEST_REASON = 500;

/** @throws CommandFailed */
export const expectKnown = ({ readModels }: Runtime, names: readonly string[]): void => {
  const unknown = names.filter((name) => !readModels.names.includes(name));
  if (unknown.length > 0) throw new CommandFailed(`there is no projection ${unknown.join(', ')}; there are ${readModels.names.join(', ')}`);
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
  expectKnown(runtime, [name]);
  runtime.readModels.start([name]);
  try {
    await act(new PartitionOperator(runtime), operatorContext(runtime));
  } catch (error) {
    throw error instanceof NotToResume ? new CommandFailed(error.message) : error;
  }
  for (;;) {
    const { setAside = SetAside.NONE } = (await runtime.readModels.status(name)) ?? {};
    if ([...setAside.groups.values()].every(({ resuming }) => !resuming)) return setAside;
    await sleep(LOOK_EVERY);
  }
};

type ShownPartition = ReturnType<typeof partitionView> & Readonly<{ partition: string; failure: ShownFailure | null }>;
type ShownFailure = Readonly<{ position: string; type: string; message: string }>;

/** How what was asked for is now: a failure where something of it is still set aside. */
const outcomeOf = (name: string, partition: string | undefined, setAside: SetAside): Outcome => {
  const groups = partition === undefined ? [...setAside.groups.values()] : [setAside.find(partition)].flatMap((group) => group ?? []);
  const left = groups.map((group) => partitionView(partition ?? group.id, group)) as ShownPartition[];
  const value = partition === undefined ? { items: left } : (left[0] ?? partitionView(partition, undefined));
  const [first] = left;
  if (!first) return { value, text: `${partition ?? name} is served again` };
  const { position = '', type = '', message = '' } = first.failure ?? {};
  return {
    value,
    text: '',
    code: FAILED,
    message: `${first.partition} of ${name} stays set aside: ${type} at ${position} fails: ${message}`,
  };
};

/** The same by a running server, which may still be trying when it answers. */
const resumedBy = async (server: OpsClient, name: string, partition: string | undefined): Promise<Outcome> => {
  const path = `/ops/projections/${encodeURIComponent(name)}`;
  if (partition === undefined) return { value: await server.post(`${path}/resume`), text: `${name} is resumed` };
  return settledBy(await server.post(`${path}/partitions/${encodeURIComponent(partition)}/resume`), name);
};

const settledBy = (shown: unknown, name: string): Outcome => {
  const { partition, state, failure } = shown as ShownPartition & Readonly<{ state: string }>;
  if (state === 'served') return { value: shown, text: `${partition} is served again` };
  if (state === 'resuming') return { value: shown, text: `${partition} is being tried again` };
  return {
    value: shown,
    text: '',
    code: FAILED,
    message: `${partition} of ${name} stays set aside: ${failure?.type} at ${failure?.position} fails: ${failure?.message}`,
  };
};

const rowOf = (shown: object) => {
  const { partition, state, held, failure } = shown as ShownPartition & Readonly<{ state: string; held: number }>;
  return { partition, state, held, ...failure };
};

export const addPartitionCommands = (projections: Command): void => {
  addCommand(projections, {
    name: 'partitions <name>',
    description: 'what is set aside in a projection: partitions with an event that fails',
    example: 'logbook projections partitions status.reports',
    lists: [],
    run: async ({ args: [given], server, stores }) => {
      const name = String(given);
      const local = (runtime: Runtime) => {
        expectKnown(runtime, [name]);
        return new PartitionOperator(runtime).groups(name).then((groups) => groups.map((group) => partitionView(group.id, group)));
      };
      const value = server
        ? await server.get<{ items: readonly object[] }>(`/ops/projections/${encodeURIComponent(name)}/partitions`)
        : { items: await stores(local) };
      return { value, rows: value.items.map(rowOf) };
    },
  });

  addCommand(projections, {
    name: 'resume <name> [partition]',
    description: 'tries the event again at which a projection stopped, or at which a partition (default: all) was set aside',
    example: 'logbook projections resume status.reports tenant:6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60',
    run: async ({ args: [given, of], server, stores }) => {
      const [name, partition] = [String(given), of === undefined ? undefined : String(of)];
      if (server) return resumedBy(server, name, partition);
      const left = await stores((runtime) =>
        settled(runtime, name, (operator, context) =>
          partition === undefined ? operator.resumeAll(name, context) : operator.resume(name, partition, context),
        ),
      );
      return outcomeOf(name, partition, left);
    },
  });

  addCommand<Readonly<{ reason: string }>>(projections, {
    name: 'skip <name> <partition>',
    description: 'takes the event at which a partition was set aside out of the log for this projection, for good, then resumes',
    example: 'logbook projections skip status.reports tenant:6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60 --reason "written by a faulty release"',
    configure: (command) => command.requiredOption('--reason <text>', 'why; it stays in the log, so no personal data'),
    run: async ({ args, options: { reason }, server, stores }) => {
      const [name = '', partition = ''] = args.map(String);
      if (reason.length < 1 || reason.length > LONGEST_REASON)
        throw new WrongUsage(`error: the reason must have 1 to ${LONGEST_REASON} characters`);
      const path = `/ops/projections/${encodeURIComponent(name)}/partitions/${encodeURIComponent(partition)}/skip`;
      if (server) return settledBy(await server.post(path, { reason }), name);
      const left = await stores((runtime) =>
        settled(runtime, name, (operator, context) => operator.skip(name, partition, reason, context)),
      );
      return outcomeOf(name, partition, left);
    },
  });
};
