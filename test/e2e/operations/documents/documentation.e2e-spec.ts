import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { allRoutes } from '#test/support/documents/all-routes.js';
import { wrongExamples } from '#test/support/documents/described-answers.js';

type Content = Readonly<Record<string, Readonly<{ schema?: Readonly<Record<string, unknown>>; example?: unknown; examples?: object }>>>;
type Answer = Readonly<{ $ref?: string; content?: Content; headers?: Readonly<Record<string, object>> }>;
type Operation = Readonly<{
  summary?: string;
  parameters?: readonly Readonly<{
    name: string;
    in: string;
    schema?: object;
    description?: string;
    required?: boolean;
    example?: unknown;
  }>[];
  responses: Readonly<Record<string, Answer>>;
}>;
type Document<Of> = Readonly<{ paths: Record<string, Record<string, Of>>; components: Readonly<{ responses: Record<string, Answer> }> }>;

/** The operations of a document, with the answers that they share with others in place. */
const operationsOf = <Of extends Operation>({ paths, components }: Document<Of>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, answer]) => [
          status,
          components.responses[answer.$ref?.split('/').at(-1) ?? ''] ?? answer,
        ]),
      );
      return { path, method, operation: { ...operation, responses } };
    }),
  );

const isOurs = (path: string): boolean => /^\/(ops|audit)\//.test(path);

const undocumentedIn = (path: string, { parameters = [] }: Operation): readonly string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name).filter(
    (name) => !parameters.some((parameter) => parameter.in === 'path' && parameter.name === name),
  );

/** Parameters without type or description, and required ones without an example to try them with. */
const badlyDescribed = ({ parameters = [] }: Operation): readonly string[] =>
  parameters.flatMap(({ name, schema, description, required, example }) => [
    ...(schema && /"(?:type|anyOf|enum|\$ref)"/.test(JSON.stringify(schema)) ? [] : [`type of ${name}`]),
    ...(description ? [] : [`description of ${name}`]),
    ...(required && example === undefined ? [`example of ${name}`] : []),
  ]);

/** Parameters of one of some texts. */
const CHOICES = ['order', 'form', 'service'];

/** Those of a query that do not say which texts. */
const withoutChoices = ({ parameters = [] }: Operation): readonly string[] =>
  parameters.flatMap(({ name, in: place, schema = {} }) =>
    place === 'query' && CHOICES.includes(name) && !('enum' in schema) ? [`values of ${name}`] : [],
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
    ...withoutChoices(operation),
    ...expected.filter((status) => !responses[status]?.content),
    ...(method === 'get' || successes.every(([, { headers }]) => headers?.['Logbook-Position']) ? [] : ['Logbook-Position']),
  ];
};

const scene = serving(embedded);

type Described = Operation & Readonly<{ operationId?: string; tags?: readonly string[]; requestBody?: Readonly<{ content: Content }> }>;

const SERVICES = /^\/(?:v1|accounting-system|api|metrics)\//;

/** Media types of which every success has an example. */
const SHOWN = new Set(['application/json', 'application/xml']);

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
    ...badlyDescribed(operation as Operation),
    ...(successes.length > 0 ? [] : ['success']),
    ...(isBare || !SERVICES.test(path) ? [] : ['400', '500', '503'].filter((status) => !responses[status])),
    ...(SERVICES.test(path) ? errors.map(([status]) => `schema of ${status}`) : []),
    ...successes.flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, { schema, examples, example = examples }]) =>
        !SHOWN.has(type) || (schema && (example !== undefined || JSON.stringify(schema).includes('"example"')))
          ? []
          : [`${type} of ${status}`],
      ),
    ),
    ...(SERVICES.test(path) && shown.length > 0 && !shown.some(({ example }) => example !== undefined) ? ['example of the body'] : []),
  ];
};

describe('all calls', () => {
  it('are documented with what clients need', async () => {
    const document = (await scene.root.get('/openapi.json')).json as {
      openapi: string;
      tags: readonly Readonly<{ name: string; description: string }>[];
    } & Document<Described>;
    expect(document.openapi).toBe('3.1.0');
    const tags = new Set(document.tags.filter(({ description }) => description).map(({ name }) => name));
    const operations = operationsOf(document);
    expect(operations.length).toBeGreaterThan(400);
    const found = operations.map(({ path, method, operation }) => [`${method} ${path}`, missing(path, method, operation, tags)] as const);
    expect(found.filter(([, lacks]) => lacks.length > 0)).toEqual([]);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => !/^[a-z][A-Za-z0-9]+$/.test(id ?? '') || ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe('the contract of a service', () => {
  const DOCS = fileURLToPath(new URL('../../../../docs/contracts/', import.meta.url));
  const isOfStatus = (path: string): boolean => /^\/(?:api|metrics)\//.test(path);
  it.each<[service: string, contracts: RegExp, isOf: (path: string) => boolean]>([
    ['messaging', /^messaging/, (path) => path.startsWith('/v1')],
    ['accounting', /^accounting/, (path) => path.startsWith('/accounting-system')],
    ['status', /^(?:status|results)/, isOfStatus],
    ['operations', /^operations/, isOurs],
  ])('of %s has every status that its calls may answer', async (_service, contracts, isOf) => {
    const names = readdirSync(DOCS).filter((name) => contracts.test(name));
    const named = new Set(names.flatMap((name) => readFileSync(DOCS + name, 'utf8').match(/\b[2-5]\d\d\b/g) ?? []));
    const operations = operationsOf((await scene.root.get('/openapi.json')).json as Document<Operation>).filter(({ path }) => isOf(path));
    const statuses = new Set(operations.flatMap(({ operation }) => Object.keys(operation.responses)));
    expect(statuses.size).toBeGreaterThan(8);
    expect([...statuses].filter((status) => !named.has(status))).toEqual([]);
  });
});

it('shows only examples that are as their schema says', () => expect(wrongExamples()).toEqual([]));

describe('the calls of operators and auditors', () => {
  it('are documented with parameters, answers, examples and errors', async () => {
    const found = operationsOf((await scene.root.get('/openapi.json')).json as Document<Operation>)
      .filter(({ path }) => isOurs(path))
      .map(({ path, method, operation }) => [`${method} ${path}`, lacking(path, method, operation)] as const);
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
