import { fileURLToPath } from 'node:url';

/** Where the build has put a module, for what can run only what is built: threads. `path` from the root of the checkout, without its ending. */
export const builtModule = (path: string): URL =>
  new URL(`${import.meta.url.includes('/dist/') ? '../../..' : '../../../dist'}/${path}.js`, import.meta.url);

/** A file of the sources, also for what runs from `dist`, which holds modules only. `path` from the root of the checkout. */
export const sourceFile = (path: string): string =>
  fileURLToPath(new URL(`${import.meta.url.includes('/dist/') ? '../../../..' : '../../..'}/${path}`, import.meta.url));
