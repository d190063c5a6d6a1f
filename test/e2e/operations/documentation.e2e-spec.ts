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

type Described = Operation & Readonly<{ operationId?: string; tags?: readonly string[]; requestBody?: Readonly<{ content: Content }> }>;

const SERVICES = /^\/(?:v1|accounting-system|api|metrics)\//;

/** What the operation of a service lacks. */
const missing = (path: string, method: string, { responses, requestBody, ...operation }: Described, tags: ReadonlySet<string>) => {
  const isBare = method === 'options' || method === 'head';
  const successes = Object.entries(responses).filter(([status]) => /^2|^302/.test(status));
  const shown = Object.values(requestBody?.content ?? {});
  const errors = Object.entries(responses).filter(
    ([status, { content = {} }]) => Number(status) >= 400 && !content['application/json']?.schema,
  );
  return [
    ...(operation.summary ? [] : ['summary']),
    ...(operation.tags?.every((tag) => tags.has(tag)) ? [] : ['a tag with a description']),
    ...undocumentedIn(path, operation as Operation).map((name) => `parameter ${name}`),
    ...(successes.length > 0 ? [] : ['success']),
    ...(isBare || !SERVICES.test(path) ? [] : ['400', '500', '503'].filter((status) => !responses[status])),
    ...(SERVICES.test(path) ? errors.map(([status]) => `schema of ${status}`) : []),
    ...successes.flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { schema, example }]) =>
        type !== 'application/json' || (schema && (example !== undefined || JSON.stringify(schema).includes('"example"')))
          ? []
          : [`${type} of ${status}`],
      ),
    ),
    ...(SERVICES.test(path) && method === 'put' && shown.length > 0 && !shown.some(({ example }) => example !== undefined)
      ? ['example of the body']
      : []),
  ];
};

describe('all calls', () => {
  it('are documented with what clients need', async () => {
    const document = (await scene.root.get('/openapi.json')).json as {
      openapi: string;
      tags: readonly Readonly<{ name: string; description: string }>[];
      paths: Record<string, Record<string, Described>>;
    };
    expect(document.openapi).toBe('3.1.0');
    const tags = new Set(document.tags.filter(({ description }) => description).map(({ name }) => name));
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations.length).toBeGreaterThan(400);
    const found = operations.map(({ path, method, operation }) => [`${method} ${path}`, missing(path, method, operation, tags)] as const);
    expect(found.filter(([, lacks]) => lacks.length > 0)).toEqual([]);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => !/^[a-z][A-Za-z0-9]+$/.test(id ?? '') || ids.indexOf(id) !== index)).toEqual([]);
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
