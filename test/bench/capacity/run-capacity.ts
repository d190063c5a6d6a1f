import { writeFileSync } from 'node:fs';
import { writeFigures } from '#test/bench/figures/figures.js';
import { asJson, thisMachine, whereMeasured } from '#test/bench/profile/circumstances.js';
import { asText } from '#test/bench/profile/tables.js';
import { measureDistributed, measureEmbedded, type Seconds, type SimulatedDay, simulateDay } from './measure.js';
import { type Check, type Costs, checkOf, dayOf, demandOf, SIZES } from './model.js';
import { capacityTables } from './tables.js';

export type CapacityOptions = Readonly<{ quick: boolean; json?: string | undefined; write: boolean }>;

const STEP_SECONDS: Readonly<Record<'quick' | 'thorough', Seconds>> = {
  quick: { warmUp: 2, measured: 3 },
  thorough: { warmUp: 6, measured: 10 },
};
/** A day of the middle size takes as long as it takes, but not longer than this. */
const DAY_SECONDS = { quick: 20, thorough: 240 } as const;
const MIB = 1_048_576;

/** Costs of each step; those on EventStoreDB and Redis are left out where there is no Redis. */
const measureCosts = async (seconds: Seconds, signal: AbortSignal): Promise<Costs> => {
  const embedded = await measureEmbedded(seconds, signal, (step, { cpuMicros }) =>
    console.log(`embedded: ${step}: ${Math.round(cpuMicros)} µs`),
  );
  try {
    const distributed = await measureDistributed(seconds, signal, (step, { cpuMicros }) => {
      const roles = [...cpuMicros].map(([role, micros]) => `${role} ${Math.round(micros)} µs`);
      console.log(`distributed: ${step}: ${roles.join(', ')}`);
    });
    return new Map(
      [...embedded].map(([step, cost]) => {
        const further = distributed.get(step);
        return [step, { ...cost, ...(further && { distributed: further }) }];
      }),
    );
  } catch (error) {
    signal.throwIfAborted();
    console.error('EventStoreDB and Redis are left out:', error);
    return embedded;
  }
};

/** What was done in the simulated day, as the model sees it, beside what it took. */
const checksOf = (costs: Costs, { done, cpuSeconds, writtenBytes, keptBytes }: SimulatedDay): readonly Check[] => {
  const model = demandOf(done, costs);
  const kept = (bytes: ReadonlyMap<string, number>): number => [...bytes.values()].reduce((sum, each) => sum + each, 0) / MIB;
  return [
    checkOf('CPU s', model.cpuSeconds, cpuSeconds),
    checkOf('given to files, MiB', model.writtenBytes / MIB, writtenBytes / MIB),
    checkOf('log, MiB', (model.keptBytes.get('log') ?? 0) / MIB, (keptBytes.get('log') ?? 0) / MIB),
    checkOf('all stores, MiB', kept(model.keptBytes), kept(keptBytes)),
  ];
};

/** Measures what steps cost, prints the machines for three sizes, and checks them by a simulated day. Resolves with whether the model holds. */
export const runCapacity = async ({ quick, json, write }: CapacityOptions, signal: AbortSignal): Promise<boolean> => {
  const kind = quick ? 'quick' : 'thorough';
  const measurement = thisMachine();
  console.log(`${whereMeasured(measurement)}.\n`);
  const costs = await measureCosts(STEP_SECONDS[kind], signal);
  const [, middle = SIZES[0]] = SIZES;
  if (!middle) throw new Error('there are no sizes');
  signal.throwIfAborted();
  console.log(`a day of ${middle.name}, as fast as it goes, for at most ${DAY_SECONDS[kind]} s`);
  const day = await simulateDay(dayOf(middle), STEP_SECONDS[kind].warmUp, DAY_SECONDS[kind]);
  const checks = checksOf(costs, day);
  const share = Math.round((day.done.publish / dayOf(middle).publish) * 100);
  const done = `${share} % of a day of ${middle.name}, done in ${Math.round(day.seconds)} s, and the model of the same load.`;
  const tables = capacityTables(costs, checks, done);
  console.log(`\n${Object.values(tables).map(asText).join('\n\n')}`);
  if (json) writeFileSync(json, asJson({ ...measurement, costs, day, checks }));
  if (write) console.log(`\nwritten to ${writeFigures('capacity', { ...measurement, tables })}`);
  return checks.every(({ holds }) => holds);
};
