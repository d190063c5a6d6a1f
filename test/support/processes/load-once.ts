import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtModule } from './built.js';

type Load = (path: string) => unknown;

/** In a test that of test/environment.js, as everything that Jest loads is for one suite. */
const load: Load = Reflect.get(globalThis, Symbol.for('logbook.require')) ?? createRequire(import.meta.url);

/**
 * A module of `dist`, loaded by Node itself and once for all suites of a worker: Jest evaluates anew for every suite what a suite imports. For what takes
 * long to load and is the same for each of them. `path` from the root of the checkout, without its ending.
 */
export const loadOnce = <Module>(path: string): Module => load(fileURLToPath(builtModule(path))) as Module;
