import type { Command } from 'commander';
import type { ProjectionJob } from '#api/operations/projections/projection-jobs.js';
import type { PROJECTIONS } from '#api/ops-kit/answers-documentation.js';
import type { Runtime } from '#api/runtime/runtime.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { jobView } from '#infra/engine/jobs/job-run.js';
import { REBUILD, type RebuildDetails } from '#infra/engine/projection-runner/rebuild/rebuild-kind.js';
import { VERIFICATION, type VerificationDetails } from '#infra/engine/projection-runner/verify/verification-kind.js';
import { CommandFailed } from './command-failed.js';
import { addCommand, addGroup, type CommandCall, type CommandOutcome, DONE, FAILED, FOUND, type OnStores } from './frame.js';
import { operatorContext } from './operator.js';
import type { ShownJob as Shown } from './ops-client.js';
import { addPartitionCommands, expectKnown, projectionOn } from './partitions.js';
import { progressPrinter } from './progress.js';
import { oneLine } from './tables.js';

type ShownList = Answered<typeof PROJECTIONS>;
type ShownProjection = ShownList['items'][number];

const listOnStores = async (runtime: Runtime, onStores: OnStores): Promise<ShownList> => {
  const names = [...runtime.readModels.names].sort();
  return { items: await Promise.all(names.map((name) => projectionOn(runtime, onStores, name))) };
};

const rowOf = ({ name, version, service, state, position, head, lag, documents, rebuild, setAside }: ShownProjection) => ({
  name,
  version,
  service,
  state,
  position,
  head,
  lagEvents: lag.events,
  lagSeconds: Math.round(lag.seconds),
  documents,
  setAside: setAside.partitions,
  rebuild,
});

/** A rebuild or a verification. */
type ShownJob = Shown<RebuildDetails & Partial<VerificationDetails>>;
type RunJob = (name: string, onProgress: (job: ShownJob) => void) => Promise<ShownJob>;

/** Runs the jobs one after another. Returns the last state of each. @throws CommandFailed one cannot begin */
const runJobs = ({ either }: CommandCall<object>, kind: ProjectionJob, names: readonly string[]): Promise<readonly ShownJob[]> => {
  const all = async (known: readonly string[], run: RunJob): Promise<readonly ShownJob[]> => {
    expectKnown(known, names);
    const printer = progressPrinter();
    const done: ShownJob[] = [];
    try {
      for (const name of names) done.push(await run(name, (job) => printer.show(name, job)));
    } finally {
      printer.end();
    }
    return done;
  };
  const verb = kind === REBUILD ? 'rebuild' : 'verify';
  return either(
    async (server) => {
      const { items } = await server.get<ShownList>('/ops/projections');
      return all(
        items.map(({ name }) => name),
        (name, onProgress) => server.job(`/ops/projections/${encodeURIComponent(name)}/${verb}`, undefined, onProgress),
      );
    },
    (runtime, onStores) => all(runtime.readModels.names, (name, onProgress) => runLocally(runtime, onStores, kind, name, onProgress)),
  );
};

const runLocally = async (
  runtime: Runtime,
  { ProjectionBusy, ProjectionJobs }: OnStores,
  kind: ProjectionJob,
  name: string,
  onProgress: (job: ShownJob) => void,
): Promise<ShownJob> => {
  const { id } = await new ProjectionJobs(runtime).request(kind, name, operatorContext(runtime)).catch((error: unknown) => {
    throw error instanceof ProjectionBusy ? new CommandFailed(error.message) : error;
  });
  const job = await runtime.jobs.ended(kind, id, (each) => onProgress(jobView(each) as ShownJob));
  if (!job) throw new CommandFailed(`the ${kind} of ${name} is gone`);
  return jobView(job) as ShownJob;
};

/** Summary of an ended job. */
const summaryOf = ({ projection, processed, state, failure, differenceCount }: ShownJob): string => {
  if (failure) return oneLine(`${projection}: ${state}: ${failure.message}`);
  const differences = typeof differenceCount === 'number' && state === 'done' ? `, ${differenceCount} differences` : '';
  return `${projection}: ${processed} events, ${state}${differences}`;
};

const outcomeOf = (jobs: readonly ShownJob[]): CommandOutcome => {
  const isDone = jobs.every(({ state }) => state === 'done');
  const isEqual = jobs.every((job) => job.equal !== false);
  const code = isDone ? (isEqual ? DONE : FOUND) : FAILED;
  const [only] = jobs;
  return { value: jobs.length === 1 ? only : { items: jobs }, text: jobs.map(summaryOf).join('\n'), code };
};

export const addProjectionsCommands = (program: Command): void => {
  const projections = addGroup(program, 'projections', 'the read models');

  addCommand(projections, {
    name: 'list',
    description: 'state, position, lag and size of every projection',
    example: 'logbook projections list --json',
    lists: ['name', 'state', 'position', 'lagEvents', 'lagSeconds', 'documents', 'setAside'],
    run: async ({ either }) => {
      const value = await either<ShownList>((server) => server.get('/ops/projections'), listOnStores);
      return { value, rows: value.items.map(rowOf) };
    },
  });

  addCommand(projections, {
    name: 'rebuild <name...>',
    description: 'rebuilds the documents from the log beside the served ones, then switches in one step',
    example: 'logbook projections rebuild status.tenants',
    run: async (call) => outcomeOf(await runJobs(call, REBUILD, call.args[0] as readonly string[])),
  });

  addCommand(projections, {
    name: 'verify <name...>',
    description: 'compares every served document with a separate build; ends with 3 if some differ',
    example: 'logbook projections verify status.tenants',
    run: async (call) => outcomeOf(await runJobs(call, VERIFICATION, call.args[0] as readonly string[])),
  });

  addPartitionCommands(projections);
};
