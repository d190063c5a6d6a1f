const UNCLEAN = /\/\/|\/\.{1,2}(?:\/|$)/;

/**
 * The clean form of a path with double slashes or dot segments; `undefined` for a clean path. Services that redirect do so to it. It ends
 * in a slash only if the path does.
 */
export const cleanedPath = (path: string): string | undefined => {
  if (!UNCLEAN.test(path)) return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    // Browsers read a backslash as a slash: two at the start of a `Location` would name a host.
    else if (segment !== '' && segment !== '.') segments.push(segment.replaceAll('\\', '%5C'));
  }
  const cleaned = `/${segments.join('/')}`;
  return path.endsWith('/') && segments.length > 0 ? `${cleaned}/` : cleaned;
};
