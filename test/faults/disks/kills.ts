import type { Violation } from '#test/faults/history.js';
import type { Random } from '#test/faults/random.js';
import { type Address, pause, Recorder } from '#test/faults/workload/client.js';
import { consumers, work } from '#test/faults/workload/clients.js';
import { untilReady } from '#test/faults/workload/ending.js';
import { prepare } from '#test/faults/workload/setting.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { flawsOfData, flawsOfProcess, launchNode, temporaryData } from './embedded-node.js';

export type KillsOutcome = Readonly<{ kills: number; done: number; violations: readonly Violation[] }>;

/** A server is killed so often at random moments, also while it starts, and clients work all the time; then what it shows is compared. */
export const killOften = async (random: Random, kills: number): Promise<KillsOutcome> => {
  const data = await temporaryData();
  const [port = 0] = await freePorts(1);
  const address: Address = { node: 'node', port };
  const start = () => launchNode(data.path, { LOGBOOK_PORT: `${port}` });
  const recorder = new Recorder();
  const violations: Violation[] = [];
  let isOver = false;
  let server = start();
  try {
    await server.url;
    await untilReady([address]);
    await prepare(address, consumers());
    const working = work([address], recorder, random.fork(), () => isOver);
    for (let kill = 0; kill < kills; kill++) {
      if (random.chance(0.8)) {
        await Promise.race([server.url, server.exited]);
        await pause(random.between(0, random.pick([50, 500, 2_500])));
      } else await pause(random.between(0, 1_200));
      if (server.hasEnded) violations.push(...flawsOfProcess(server.lines, await server.exited, server.endedBy));
      await server.signal('SIGKILL');
      server = start();
    }
    isOver = true;
    await working;
    await Promise.race([server.url, server.exited]);
    violations.push(...flawsOfProcess(server.lines, await server.signal('SIGTERM'), server.endedBy));
    violations.push(...(await flawsOfData(data.path, recorder.calls)));
    return { kills, done: recorder.calls.filter(({ answer }) => answer.outcome === 'done').length, violations };
  } finally {
    isOver = true;
    await server.signal('SIGKILL');
    await data.remove();
  }
};
