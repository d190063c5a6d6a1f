import { setTimeout as sleep } from 'node:timers/promises';
import { install } from '#test/bench/installation.js';
import { CONNECTIONS, httpLoad } from '#test/bench/load.js';
import type { Lab, Scenario, Side } from '#test/bench/scenario.js';
import type { Child } from '#test/bench/servers/child.js';
import { bodyOf, call, post } from './messaging-traffic.js';

const CONSOLES = 20;

/** So often the view of a messaging project is read anew. */
const LOOK_MS = 5_000;

const look = async (url: string, list: string, signal: AbortSignal): Promise<void> => {
  const answer = await fetch(`${url}/ops/messaging/bench/${list}`, { headers: { 'x-api-key': 'bench-ops' }, signal });
  if (answer.status !== 200) throw new Error(`the ${list} of the project answered ${answer.status}`);
  await answer.arrayBuffer();
};

/** Overviews and views of a messaging project as browsers watch them, each overview shown something. Returns how to end them. */
const watch = async ({ url }: Child, consoles: number): Promise<() => Promise<void>> => {
  const ended = new AbortController();
  const streams = await Promise.all(
    Array.from({ length: consoles }, async () => {
      const answer = await fetch(`${url}/console/live`, { headers: { 'x-api-key': 'bench-ops' }, signal: ended.signal });
      const reader = answer.body?.getReader();
      if (answer.status !== 200 || !reader) throw new Error(`the overview answered ${answer.status}`);
      await reader.read();
      return reader;
    }),
  );
  const reading = streams.map(async (reader) => {
    for (;;) if ((await reader.read()).done) return;
  });
  const looking = Array.from({ length: consoles }, async (_, index) => {
    await sleep((index * LOOK_MS) / consoles, undefined, { signal: ended.signal });
    for (;;) {
      await Promise.all(['topics', 'subscriptions'].map((list) => look(url, list, ended.signal)));
      await sleep(LOOK_MS, undefined, { signal: ended.signal });
    }
  });
  return async () => {
    ended.abort();
    await Promise.allSettled([...reading, ...looking]);
  };
};

const publishing = async (lab: Lab): Promise<Readonly<{ logbook: Side; reference: Side }>> => {
  const server = await (await install(lab, 'embedded', {})).serve();
  const path = '/v1/projects/bench';
  await call(server, 'POST', path);
  for (let topic = 0; topic < CONNECTIONS; topic++) {
    await call(server, 'PUT', `${path}/topics/n${topic}`);
    await call(server, 'PUT', `${path}/subscriptions/n${topic}`, JSON.stringify({ topic: `projects/bench/topics/n${topic}` }));
  }
  const load = httpLoad(server, lab.effort, (connection) => [post(`${path}/topics/n${connection}:publish`, bodyOf(1))]);
  return {
    logbook: async () => {
      const end = await watch(server, CONSOLES);
      try {
        return await load();
      } finally {
        await end();
      }
    },
    reference: load,
  };
};

/** That the console slows nobody: consoles are open during the slices of one side only, of the same server. */
export const openConsoles: readonly Scenario[] = [
  {
    name: `console: publish 1 KiB while ${CONSOLES} consoles are open`,
    reference: 'the same while none is',
    target: { atLeast: 0.98 },
    prepare: publishing,
  },
];
