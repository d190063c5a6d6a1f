import { endProcess } from './end-process.js';

/**
 * A second signal within this time has the same origin: Ctrl-C under `npm start` reaches the server twice, from the terminal, which sends
 * it to all processes of the group, and from npm, which passes it on.
 */
const SAME_WISH_MS = 1_000;

/**
 * Resolves with the first SIGTERM or SIGINT. A later one ends the process at once, even as the first process of a container, unless it
 * follows within a second.
 */
export const shutdownSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let first: number | undefined;
    for (const name of ['SIGTERM', 'SIGINT'] as const)
      process.on(name, () => {
        if (first !== undefined && performance.now() - first >= SAME_WISH_MS) void endProcess(1);
        first ??= performance.now();
        resolve(name);
      });
  });
