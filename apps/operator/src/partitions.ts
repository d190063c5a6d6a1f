import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Skip } from '#api/operations/projections/partition-operator.js';
import { historyView, partitionView, projectionView } from '#api/operations/projections/projection-views.js';
import type { PARTITIONS } from '#api/ops-kit/answers-documentation.js';
import type { Runtime } from '#api/runtime/runtime.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { LONGEST_REASON } from '#domain/operations/given-texts.js';
import { REBUILD } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { CommandFailed, expectText } from './command-failed.js';
import { addCommand, type CommandCall, type CommandOutcome, FAILED, type OnStores } from './frame.js';
import { operatorContext } from './operator.js';
import type { OpsClient } from './ops-client.js';

/** Interval between checks of the outcome, in milliseconds. */
const LOOK_EVERY = 100;

/** @throws CommandFailed */
export const expectKnown = (known: readonly string[], names: readonly string[]): void => {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new CommandFailed(`there is no projection ${unknown.join(', ')}; there are ${known.join(', ')}`);
};

/** A projection as shown by HTTP, read from the stores. @throws CommandFailed there is none with this name */
export const projectionOn = async (runtime: Runtime, { underWay }: OnStores, name: string) => {
  const { readModels } = runtime;
  const [status, job, projectors] = await Promise.all([readModels.status(name), underWay(runtime, name), readModels.projectors()]);
  if (!status) throw new CommandFailed(`there is no projection ${name}`);
  const shown = projectionView(status, job?.kind === REBUILD ? job.id : null, projectors.get(name) ?? null);
  return { ...shown, history: await historyView(runtime.keeper ?? null, name) };
};

type ShownPartitions = Answered<typeof PARTITIONS>;
type ShownPartition = ShownPartitions['items'][number];

/** A projection, through a server or on the stores. */
type Target = Readonly<{
  resume(partition: string | undefined): Promise<unknown>;
  skip(partition: string, skip: Skip): Promise<unknown>;
  partitions(): Promise<ShownPartitions>;
  shown(): Promise<object>;
}>;

const pathOf = (name: string): string => `/ops/projections/${encodeURIComponent(name)}`;

const byServer = (server: OpsClient, name: string): Target => {
  const path = pathOf(name);
  const of = (partition: string): string => `${path}/partitions/${encodeURIComponent(partition)}`;
  return {
    resume: (partition) => server.post(`${partition === undefined ? path : of(partition)}/resume`),
    skip: (partition, skip) => server.post(`${of(partition)}/skip`, skip),
    partitions: () => server.get(`${path}/partitions`),
    shown: () => server.get(path),
  };
};

const partitionsOn = async (runtime: Runtime, { PartitionOperator }: OnStores, name: string): Promise<ShownPartitions> => {
  expectKnown(runtime.readModels.names, [name]);
  const groups = await new PartitionOperator(runtime).groups(name);
  return { items: groups.map((group) => partitionView(group.id, group)) };
};

/** Uses runners of this process, which carry out the request. */
const byRunners = (runtime: Runtime, onStores: OnStores, name: string): Target => {
  expectKnown(runtime.readModels.names, [name]);
  runtime.readModels.start([name]);
  runtime.keeper?.start([name]);
  const [operator, context] = [new onStores.PartitionOperator(runtime), operatorContext(runtime)];
  const explained = (act: Promise<unknown>): Promise<unknown> =>
    act.catch((error: unknown) => {
      throw error instanceof onStores.NotToResume ? new CommandFailed(error.message) : error;
    });
  return {
    resume: (partition) => explained(operator.resume(name, partition, context)),
    skip: (partition, skip) => explained(operator.skip(name, partition, skip, context)),
    partitions: () => partitionsOn(runtime, onStores, name),
    shown: () => projectionOn(runtime, onStores, name),
  };
};

/** The set-aside partition that was requested: partitions set aside together are shown as one of them. */
const named = (partition: string, shown: readonly ShownPartition[]): readonly ShownPartition[] =>
  shown.flatMap((group) => {
    const all = [group.partition, ...group.with];
    return all.includes(partition) ? [{ ...group, partition, with: all.filter((one) => one !== partition).sort() }] : [];
  });

/** Partitions still set aside after the last retry. */
const settled = async (target: Target, partition: string | undefined): Promise<readonly ShownPartition[]> => {
  for (;;) {
    const { items } = await target.partitions();
    const left = partition === undefined ? items : named(partition, items);
    if (left.every(({ state, history }) => state !== 'resuming' && history !== 'resuming')) return left;
    await sleep(LOOK_EVERY);
  }
};

/** Outcome of the request: a failure if a requested partition is still set aside. */
const outcomeOf = async (target: Target, name: string, partition: string | undefined): Promise<CommandOutcome> => {
  const [first] = await settled(target, partition);
  const value = partition === undefined ? await target.shown() : (first ?? partitionView(partition, undefined));
  if (!first) return { value, text: `${partition ?? name} is served again` };
  const { position = '', type = '', message = '' } = first.failure ?? {};
  return {
    value,
    text: '',
    code: FAILED,
    message: `${first.partition} of ${name} stays paused: ${type} at ${position} fails: ${message}`,
  };
};

/** Acts on a projection, and waits for the outcome. */
const acted = (
  { either }: Pick<CommandCall<object>, 'either'>,
  name: string,
  partition: string | undefined,
  act: (target: Target) => Promise<unknown>,
): Promise<CommandOutcome> => {
  const acting = async (target: Target): Promise<CommandOutcome> => {
    await act(target);
    return outcomeOf(target, name, partition);
  };
  return either(
    (server) => acting(byServer(server, name)),
    (runtime, onStores) => acting(byRunners(runtime, onStores, name)),
  );
};

const rowOf = ({ partition, state, history, held, failure }: ShownPartition) => ({
  ...{ partition, state, ...(history && { history }), held },
  ...failure,
});

export const addPartitionCommands = (projections: Command): void => {
  addCommand(projections, {
    name: 'partitions <name>',
    description: 'paused partitions of a projection, with the failing events',
    example: 'logbook projections partitions status.reports',
    lists: [],
    run: async ({ args: [given], either }) => {
      const name = String(given);
      const value = await either<ShownPartitions>(
        (server) => server.get(`${pathOf(name)}/partitions`),
        (runtime, onStores) => partitionsOn(runtime, onStores, name),
      );
      return { value, rows: value.items.map(rowOf) };
    },
  });

  addCommand(projections, {
    name: 'resume <name> [partition]',
    description: 'retries the event at which a partition (default: all) was paused',
    example: 'logbook projections resume status.reports tenant:6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60',
    run: (call) => {
      const [name = '', partition] = call.args.flatMap((arg) => (arg === undefined ? [] : String(arg)));
      return acted(call, name, partition, (target) => target.resume(partition));
    },
  });

  addCommand<Skip>(projections, {
    name: 'skip <name> <partition>',
    description: 'permanently skips the event at which a partition was paused for this projection, then resumes',
    example: 'logbook projections skip status.reports tenant:6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60 --reason "written by a faulty release"',
    configure: (command) =>
      command
        .requiredOption('--reason <text>', 'reason; it stays in the log, so it must not contain personal data')
        .option('--all', 'also later events of the partition that fail for the same reason'),
    run: async (call) => {
      const [[name = '', partition = ''], { reason, all }] = [call.args.map(String), call.options];
      expectText('--reason', reason, LONGEST_REASON);
      return acted(call, name, partition, (target) => target.skip(partition, { reason, ...(all && { all }) }));
    },
  });
};
