import { parseArgs } from 'node:util';
import { Cleanup } from '#test/support/cleanup.js';
import { runDisks } from './disks/main.js';
import { reportOf, storyOf } from './report.js';
import { runFaults } from './run.js';
import type { FaultKind } from './schedule.js';

const USAGE = `npm run test:faults -- disks|power|kills: failing disks, lost power and kills of one server on embedded stores (--help)
npm run test:faults -- [--seconds N] [--seed S] [--only kill,freeze,...] [--client native|official] [--beside <root>] [--logs]

Three API nodes and two projectors on one Redis and one EventStoreDB-protocol server, under faults at random, and what a checker says of it.
--seconds  how long faults come (600); starting and checking come on top
--seed     the same seed gives the same faults at the same times
--only     kinds of faults: kill, stop, freeze, clock, flush, cut, stall, mute, delay
--client   that the nodes use for EventStoreDB (native)
--beside   root of a checkout of another release that is built: a rolling update. Nodes begin with it, change between both builds at each
           start, and end with this one; best with --only kill,stop
--logs     prints the newest log lines of each process when something was violated
EVENTSTORE_COMMAND may hold a command that runs a real EventStoreDB (see test/support/eventstoredb/real-server.ts).
The exit code is 1 when a rule was violated.`;

const [what, ...rest] = process.argv.slice(2);
if (what !== undefined && ['disks', 'power', 'kills'].includes(what)) process.exit((await runDisks(what, rest)) ? 0 : 1);

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    only: { type: 'string', default: '' },
    client: { type: 'string', default: 'native' },
    beside: { type: 'string' },
    logs: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const [seed, seconds] = [Number(values.seed), Number(values.seconds)];
const cleanup = new Cleanup();
const orderly = (): void => {
  void cleanup.run().finally(() => process.exit(130));
};
process.once('SIGINT', orderly).once('SIGTERM', orderly);
console.log(
  `seed ${seed}: npm run test:faults -- --seconds ${seconds} --seed ${seed} --client ${values.client}${values.beside === undefined ? '' : ` --beside ${values.beside}`}`,
);
try {
  const only = values.only.split(',').filter((kind) => kind !== '') as FaultKind[];
  const report = await runFaults(cleanup, {
    seed,
    seconds,
    only,
    client: values.client,
    ...(values.beside !== undefined && { beside: values.beside }),
    say: (line) => console.log(line),
  });
  console.log(reportOf(report));
  for (const story of report.violations.slice(0, 30).map((violation) => storyOf(violation, report.calls))) console.log(story);
  if (values.logs && report.violations.length > 0)
    for (const [name, lines] of Object.entries(report.lines)) console.log(`\n${name}\n${lines.join('\n')}`);
  process.exitCode = report.violations.length > 0 ? 1 : 0;
} finally {
  await cleanup.run();
}
