/** Where the build has put a module, for what can run only what is built: threads. `path` from the root of the checkout, without its ending. */
export const builtModule = (path: string): URL =>
  new URL(`${import.meta.url.includes('/dist/') ? '../..' : '../../dist'}/${path}.js`, import.meta.url);
