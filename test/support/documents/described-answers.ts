import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { placesIn } from './xml-places.js';

type Examples = Readonly<Record<string, Readonly<{ value: unknown }>>>;
type Content = Readonly<{ schema?: object; example?: unknown; examples?: Examples }>;
type Response = Readonly<{ $ref?: string; content?: Readonly<Record<string, Content>> }>;
type Operations = Readonly<Record<string, Readonly<{ requestBody?: Response; responses: Readonly<Record<string, Response>> }>>>;
type Document = Readonly<{
  paths: Readonly<Record<string, Operations>>;
  components: Readonly<{ responses: Readonly<Record<string, Response>> }>;
}>;
type Route = Readonly<{ path: string; pattern: RegExp; operations: Operations }>;
type Answered = Readonly<{ status: number; headers: Headers; text: string; json: unknown }>;

/** What HTTP may answer to any request, whatever the operation. */
const OF_HTTP = new Set([405, 408, 413, 415]);

/** Larger answers repeat what smaller ones show. */
const MOST_BYTES = 64 * 1024;

const XML = 'application/xml';

const shownIn = ({ example, examples = {} }: Content): readonly unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** Places of an answer that no example of it has. */
const differenceFromExamples = (
  name: string,
  content: Content | undefined,
  text: string,
  placesOf: (body: unknown) => Iterable<string>,
): string | undefined => {
  if (!content) return `${name}: its type is not described: ${text.slice(0, 300)}`;
  const shown = new Set(shownIn(content).flatMap((example) => [...placesOf(example)]));
  const unknown = [...placesOf(text)].filter((place) => !shown.has(place));
  return unknown.length === 0 ? undefined : `${name}: no example has ${unknown.join(', ')}: ${text.slice(0, 600)}`;
};

/** The members of a body by where they stand, with the type of their values. */
const membersOf = (value: unknown, place = ''): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [`${place} ${typeof value}`];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, Array.isArray(value) ? `${place}[]` : `${place}.${name}`));
};
const membersIn = (body: unknown): readonly string[] => membersOf(typeof body === 'string' ? JSON.parse(body) : body);

const literally = (text: string): string => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');

/** How many segments are fixed: `/users/profile` goes before `/users/{user}`, `{name}:pull` before `{name}`. */
const rank = (path: string): number => (path.match(/\{/g) ?? []).length - (path.includes(':') ? 0.5 : 0);

const routeOf = ([path, operations]: readonly [string, Operations]): Route => ({
  path,
  operations,
  pattern: new RegExp(`^${literally(path).replace(/\{[^}]+\}/g, '[^/]+')}$`),
});

/** Formats as the services write them: times in UTC. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  uri: /^[a-z][a-z0-9+.-]*:/i,
};

/** The description of the API that the build has made. */
class Description {
  private readonly document: Document;
  private readonly routes: readonly Route[];
  /** The document is not a schema itself, so that ajv's look at it costs every suite the time to compile the schema of schemas, and finds nothing. */
  private readonly ajv = new Ajv2020({ strict: false, formats: FORMATS, validateSchema: false });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(file: string) {
    this.document = JSON.parse(readFileSync(file, 'utf8')) as Document;
    this.routes = Object.entries(this.document.paths)
      .sort(([one], [other]) => rank(one) - rank(other))
      .map(routeOf);
    this.ajv.addSchema(this.document, 'api');
  }

  /** What an answer has that its description does not say; `undefined`: nothing, or the path is not described. */
  difference(method: string, target: string, { status, headers, text, json }: Answered): string | undefined {
    const [bare = ''] = target.split('?');
    const route = this.routes.find(({ pattern }) => pattern.test(bare));
    const operation = route?.operations[method.toLowerCase()];
    if (!route || !operation) return undefined;
    const name = `${method} ${route.path}`;
    const { response, pointer } = this.response(route.path, method.toLowerCase(), status, operation);
    if (!response && OF_HTTP.has(status)) return undefined;
    if (!response) return `${name} answers ${status}, which is not described: ${text.slice(0, 300)}`;
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    if (text.length > MOST_BYTES) return undefined;
    const content = response.content?.[type];
    if (type === XML) return differenceFromExamples(`${name} ${status}`, content, text, (body) => placesIn(String(body)));
    if (json === undefined) return undefined;
    // The status service has several forms of errors.
    if (status >= 400 && route.path.startsWith('/api/')) {
      const difference = differenceFromExamples(`${name} ${status}`, content, text, membersIn);
      if (difference !== undefined) return difference;
    }
    const schema = content?.schema;
    if (!schema) return `${name} ${status}: ${type} is not described: ${text.slice(0, 300)}`;
    const validate = this.validatorOf([...pointer, 'content', type, 'schema']);
    if (validate(json)) return undefined;
    return `${name} ${status} is not as described: ${this.ajv.errorsText(validate.errors)}: ${text.slice(0, 600)}`;
  }

  /** Examples of requests and answers that are not as their schema says, as `get /path 200: …`. */
  wrongExamples(): readonly string[] {
    return Object.entries(this.document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody, responses }]) => [
        ...this.wrongIn(`${method} ${path}`, requestBody, ['paths', path, method, 'requestBody']),
        ...Object.entries(responses).flatMap(([status, response]) =>
          this.wrongIn(`${method} ${path} ${status}`, response, ['paths', path, method, 'responses', status]),
        ),
      ]),
    );
  }

  private wrongIn(name: string, part: Response | undefined, pointer: readonly string[]): readonly string[] {
    return Object.entries(part?.content ?? {}).flatMap(([type, content]) => {
      if (!content.schema || !type.endsWith('json')) return [];
      return shownIn(content).flatMap((one) => {
        const validate = this.validatorOf([...pointer, 'content', type, 'schema']);
        return validate(one) ? [] : [`${name}: ${this.ajv.errorsText(validate.errors)}`];
      });
    });
  }

  /** An answer of an operation, and where it is described: there, or among those that operations share. */
  private response(path: string, method: string, status: number, { responses }: Operations[string]) {
    const own = responses[status];
    const shared = own?.$ref?.split('/').at(-1);
    if (shared === undefined) return { response: own, pointer: ['paths', path, method, 'responses', `${status}`] };
    return { response: this.document.components.responses[shared], pointer: ['components', 'responses', shared] };
  }

  private validatorOf(pointer: readonly string[]): ValidateFunction {
    const $ref = `api#/${pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')}`;
    const known = this.compiled.get($ref) ?? this.ajv.compile({ $ref });
    this.compiled.set($ref, known);
    return known;
  }
}

const file = join(process.cwd(), 'dist', 'server', 'openapi.json');
const description = existsSync(file) ? new Description(file) : undefined;

/** How an answer differs from `/openapi.json`: asked by the clients of all tests, so that the description cannot drift. */
export const differenceFromDescription = (method: string, target: string, answer: Answered): string | undefined =>
  description?.difference(method, target, answer);

/** What is wrong with the examples of `/openapi.json`. @throws nothing is built */
export const wrongExamples = (): readonly string[] => {
  if (!description) throw new Error('there is no dist/server/openapi.json');
  return description.wrongExamples();
};
