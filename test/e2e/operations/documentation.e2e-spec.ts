import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { allRoutes } from '#test/support/all-routes.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';

type Content = Readonly<Record<string, Readonly<{ schema?: Readonly<Record<string, unknown>>; example?: unknown }>>>;
type Operation = Readonly<{
  summary?: string;
  parameters?: readonly Readonly<{ name: string; in: string; schema?: object }>[];
  responses: Readonly<Record<string, Readonly<{ content?: Content; headers?: Readonly<Record<string, object>> }>>>;
}>;

const isOurs = (path: string): boolean => /^\/(ops|audit)\//.test(path);

const undocumentedIn = (path: string, { parameters = [] }: Operation): readonly string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name).filter(
    (name) => !parameters.some((parameter) => parameter.in === 'path' && parameter.name === name),
  );

/** What a documented call lacks. */
const lacking = (path: string, method: string, operation: Operation): readonly string[] => {
  const { summary, responses } = operation;
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const isShown = successes.some(
    ([status, { content = {} }]) =>
      status === '204' ||
      Object.values(content).some(({ schema, example }) => schema && JSON.stringify({ schema, example }).includes('"example"')),
  );
  const expected = ['400', '401', '403', '503', ...(path.includes('{') ? ['404'] : []), ...(method === 'get' ? [] : ['409'])];
  return [
    ...(summary ? [] : ['summary']),
    ...(isShown ? [] : ['a success with schema and example']),
    ...undocumentedIn(path, operation).map((name) => `parameter ${name}`),
    ...expected.filter((status) => !responses[status]?.content),
    ...(method === 'get' || successes.every(([, { headers }]) => headers?.['Logbook-Position']) ? [] : ['Logbook-Position']),
  ];
};

const scene = serving(embedded);

describe('all calls', () => {
  it('are documented with a summary and the parameters of their paths', async () => {
    const { paths } = (await scene.root.get('/openapi.json')).json as { paths: Record<string, Record<string, Operation>> };
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method} ${path}`, operation.summary, undocumentedIn(path, operation)] as const,
      ),
    );
    expect(found.length).toBeGreaterThan(400);
    expect(found.filter(([, summary, undocumented]) => !summary || undocumented.length > 0)).toEqual([]);
  });
});

describe('the calls of operators and auditors', () => {
  it('are documented with parameters, answers, examples and errors', async () => {
    const { paths } = (await scene.root.get('/openapi.json')).json as { paths: Record<string, Record<string, Operation>> };
    const found = Object.entries(paths)
      .filter(([path]) => isOurs(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, lacking(path, method, operation)] as const),
      );
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(([, lacks]) => lacks.length > 0)).toEqual([]);
  });

  it('ignore no parameter that they do not have, and need a key', async () => {
    const routes = (await allRoutes(scene.root)).filter(({ path }) => isOurs(path));
    const outcomes = await Promise.all(
      routes.map(async ({ method, path }) => [
        `${method} ${path}`,
        (await scene.root.call(method, `${path}?nonsense=1`, { key: OPERATOR })).status,
        (await scene.root.call(method, `${path}?nonsense=1`)).status,
      ]),
    );
    expect(outcomes.filter(([, known, unknown]) => known !== 400 || unknown !== 401)).toEqual([]);
  });
});
