import type { Lab } from '#test/bench/scenario.js';
import { type Child, startChild } from './child.js';
import type { ReferenceRoute } from './reference-server.js';

/** Starts a bare Fastify with these routes, of different methods, in a process of its own. */
export const startReference = async (lab: Lab, ...routes: readonly ReferenceRoute[]): Promise<Child> => {
  const reference = await startChild(lab.cleanup, 'test/bench/servers/reference-server', routes);
  lab.onReference?.(reference);
  return reference;
};
