/** Where a path with double slashes or dot segments leads, as far as it is not clean; the services that redirect do so to there. */
export const cleanedPath = (path: string): string | undefined => {
  if (!/\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  return new URL(path.replaceAll(/\/{2,}/g, '/'), 'http://path').pathname;
};
