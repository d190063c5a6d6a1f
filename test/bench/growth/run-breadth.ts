import { writeFileSync } from 'node:fs';
import { writeFigures } from '#test/bench/figures/figures.js';
import { install } from '#test/bench/installation.js';
import { end } from '#test/bench/operating.js';
import { asJson, thisMachine, whereMeasured } from '#test/bench/profile/circumstances.js';
import { asText, type Table } from '#test/bench/profile/tables.js';
import { Cleanup } from '#test/support/cleanup.js';
import { Breadth, callTable, restTable, type Wide } from './breadth.js';
import { pushed, streams, subscriptions, topics } from './messaging-breadth.js';
import { copiesOf } from './run-growth.js';
import { endpoints, tenants } from './status-breadth.js';

export type BreadthOptions = Readonly<{ json?: string | undefined; write: boolean; quick: boolean; only: readonly string[] }>;

const nothing = async (): Promise<void> => undefined;

const all = (part: number): readonly Wide[] => [
  { name: 'nothing', make: nothing, use: nothing },
  subscriptions(5_000 * part),
  pushed(1_000 * part),
  streams(1_000 * part),
  topics(100_000 * part),
  tenants(1_000 * part),
  endpoints(50_000 * part),
];

type Result = Pick<Breadth, 'calls' | 'rests'>;

const measure = async ({ name, environment = {}, prepare, make, use }: Wide): Promise<Result> => {
  const cleanup = new Cleanup();
  try {
    const lab = { effort: { warmUps: 0, rounds: 0, sliceSeconds: 0, manyEvents: 0 }, cleanup, environment };
    const installation = await install(lab, 'embedded');
    await prepare?.(installation);
    const said = (line: string) => console.log(`${name}: ${line}`);
    const first = new Breadth(installation, await installation.serve(), said);
    await make(first);
    await end(first.server);
    const started = performance.now();
    const server = await installation.serve();
    const start = [performance.now() - started, (await server.cpuMicros()) / 1e3];
    const then = new Breadth(installation, server, said);
    await then.atRest(name, start);
    await use(then);
    return { calls: [...first.calls, ...then.calls], rests: then.rests };
  } finally {
    await cleanup.run();
  }
};

/** Makes many of each, and prints what they cost. */
export const runBreadth = async ({ json, write, quick, only }: BreadthOptions, signal: AbortSignal): Promise<boolean> => {
  const measurement = thisMachine();
  console.log(`${whereMeasured(measurement)}. Embedded stores; chain, audit index and history on.\n`);
  const results = new Map<string, Result>();
  for (const wide of all(quick ? 0.02 : 1)) {
    if (only.length > 0 && !only.some((part) => wide.name.includes(part))) continue;
    signal.throwIfAborted();
    results.set(wide.name, await measure(wide));
    if (json) writeFileSync(json, asJson({ ...measurement, results }));
  }
  const copies =
    only.length > 0 && !only.includes('copies') ? undefined : await copiesOf(quick ? [1_000, 2_000] : [10_000, 100_000], signal);
  const rests = restTable([...results.values()].flatMap((result) => result.rests));
  const calls = [...results].flatMap(([name, result]) => (result.calls.length > 0 ? [[name, callTable(result.calls)] as const] : []));
  const tables: Readonly<Record<string, Table>> = { rest: rests, ...Object.fromEntries(calls), ...(copies && { copies }) };
  for (const [name, table] of Object.entries(tables)) console.log(`\n${name}\n${asText(table)}`);
  if (write) console.log(`\nwritten to ${writeFigures('breadth', { ...measurement, tables })}`);
  return true;
};
