/** Pages, pictures and other files by their paths on a server. */
export type Pages = ReadonlyMap<string, string>;

const valuesOf = (pattern: RegExp, html: string): readonly string[] => Array.from(html.matchAll(pattern), ([, value = '']) => value);

export const idsIn = (html: string): ReadonlySet<string> => new Set(valuesOf(/ id="([^"]+)"/g, html));

/** Addresses to which a page of `/guides` leads, those of other sites excepted. */
const linkedBy = (path: string, html: string, server: string): readonly URL[] =>
  path.startsWith('/guides/') && html.startsWith('<!DOCTYPE')
    ? valuesOf(/(?:src|href|action)="([^"]+)"/g, html)
        .map((address) => new URL(address, `${server}${path}`))
        .filter(({ origin }) => origin === server)
    : [];

/** All that can be reached from the guides by links. @throws Error an address that is not answered with 200 */
export const reachedFromGuides = async (server: string): Promise<Pages> => {
  const pages = new Map<string, string>();
  const wanted = ['/guides/'];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (pages.has(path)) continue;
    const answer = await fetch(`${server}${path}`, { headers: { accept: 'text/html' } });
    if (answer.status !== 200) throw new Error(`${path} is answered with ${answer.status}`);
    const html = await answer.text();
    pages.set(path, html);
    wanted.push(...linkedBy(path, html, server).map(({ pathname }) => pathname));
  }
  return pages;
};

/** The anchors of a page; those of `/docs` are the groups and operations that `/openapi.json` describes. */
const anchorsOf = (path: string, pages: Pages): ReadonlySet<string> => {
  if (path !== '/docs') return idsIn(pages.get(path) ?? '');
  const { paths } = JSON.parse(pages.get('/openapi.json') ?? '') as {
    paths: Record<string, Record<string, { tags: string[]; operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return new Set(operations.flatMap(({ tags, operationId }) => tags.map((tag) => `/${encodeURIComponent(tag)}/${operationId}`)));
};

/** Links to anchors that are not in their page: paths with addresses. */
export const danglingIn = (pages: Pages, server: string): readonly string[] => {
  const anchors = new Map([...pages.keys()].map((path) => [path, anchorsOf(path, pages)]));
  return [...pages].flatMap(([path, html]) =>
    linkedBy(path, html, server)
      .filter(({ pathname, hash }) => hash !== '' && !anchors.get(pathname)?.has(hash.slice(1)))
      .map(({ href }) => `${path}: ${href}`),
  );
};
