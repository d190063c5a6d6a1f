import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Runtime } from '#api/runtime/runtime.js';
import { ERASABLE, ERASURES_CATEGORY, type ErasableRecord, type ErasableService } from '#domain/operations/erasures.js';
import { LONGEST_REASON } from '#domain/operations/given-texts.js';
import { SUBJECTS, SubjectQueries } from '#projections/operations/subjects/queries.js';
import { CommandFailed, expectText, WrongUsage } from './command-failed.js';
import { addCommand, type OnStores } from './frame.js';
import { operatorContext } from './operator.js';

/** Interval between checks for the end, in milliseconds. */
const LOOK_EVERY = 100;
/** The read model may first have to be built from the log. In milliseconds. */
const LONGEST_BUILD = 3_600_000;

const isService = (service: string): service is ErasableService => Object.hasOwn(ERASABLE, service);

/** @throws WrongUsage */
const checked = (service: string, kind: string, id: string, reason: string): ErasableRecord => {
  if (!isService(service)) throw new WrongUsage(`nothing can be erased in ${service}; services are ${Object.keys(ERASABLE).join(', ')}`);
  if (!ERASABLE[service].includes(kind)) throw new WrongUsage(`${service} has no ${kind}; it has ${ERASABLE[service].join(', ')}`);
  if (id === '') throw new WrongUsage('the id is empty');
  expectText('--reason', reason, LONGEST_REASON);
  return { service, kind, id };
};

/** Erases on the stores. */
const erased = async (runtime: Runtime, onStores: OnStores, record: ErasableRecord, reason: string): Promise<object> => {
  const { ErasureProgress, erasureView, eraseRecord, NoSuchRecord } = onStores;
  const { readModels, erasing, eventStore, readStore, clock } = runtime;
  readModels.start([SUBJECTS]);
  await readModels.readGate(SUBJECTS)?.settled;
  await readModels.applied(ERASURES_CATEGORY, await eventStore.head(), LONGEST_BUILD);
  erasing.start();
  const queries = new SubjectQueries(readStore);
  const progress = new ErasureProgress(erasing.subjects, queries, clock);
  const { id } = await eraseRecord({ ...runtime, queries, subjects: erasing.subjects }, operatorContext(runtime), record, reason).catch(
    (error: unknown) => {
      throw error instanceof NoSuchRecord ? new CommandFailed(error.message) : error;
    },
  );
  for (;;) {
    const erasure = await queries.erasure(id);
    const item = erasure && (await progress.item(erasure));
    if (erasure && item?.state === 'done') return erasureView(erasure, item);
    await sleep(LOOK_EVERY);
  }
};

export const addEraseCommand = (program: Command): void => {
  addCommand<Readonly<{ reason: string }>>(program, {
    name: 'erase <service> <kind> <id>',
    description: 'permanently destroys the secret and personal data of a record; its credentials are refused from then on',
    example: 'logbook erase messaging user 6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60 --reason "request 4711"',
    configure: (command) => command.requiredOption('--reason <text>', 'reason; it stays in the log, so it must not contain personal data'),
    run: async ({ args: [service, kind, id], options: { reason }, either }) => {
      const record = checked(String(service), String(kind), String(id), reason);
      const value = await either<object>(
        (server) => server.job('/ops/erasures', { ...record, reason }, () => undefined),
        (runtime, onStores) => erased(runtime, onStores, record, reason),
      );
      return { value, text: `${record.kind} ${record.id} is erased` };
    },
  });
};
