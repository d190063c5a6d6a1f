const UNCLEAN = /\/\/|\/\.{1,2}(?:\/|$)/;

/**
 * Where a path with double slashes or dot segments leads, as far as it is not clean; the services that redirect do so to there. It ends in
 * a slash only if the path does.
 */
export const cleanedPath = (path: string): string | undefined => {
  if (!UNCLEAN.test(path)) return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    // Browsers read a backslash as a slash: two at the beginning of a `Location` would name a host.
    else if (segment !== '' && segment !== '.') segments.push(segment.replaceAll('\\', '%5C'));
  }
  const cleaned = `/${segments.join('/')}`;
  return path.endsWith('/') && segments.length > 0 ? `${cleaned}/` : cleaned;
};
