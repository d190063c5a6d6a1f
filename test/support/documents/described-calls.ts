import { ADMIN, OPERATOR, SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { HttpClient } from '#test/support/status-client.js';
import { LISTENER_SECRET } from './all-routes.js';

type Parameter = Readonly<{ name: string; in: string; required?: boolean; example?: unknown }>;
type Operation = Readonly<{
  operationId: string;
  parameters?: readonly Parameter[];
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ example?: unknown }>>> }>;
  responses: Readonly<Record<string, Readonly<{ content?: object }>>>;
  security: readonly Readonly<Record<string, unknown>>[];
}>;
type Document = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>;

/** A call as the description of the API has it. */
export type DescribedCall = Readonly<{
  id: string;
  /** In capitals. */
  method: string;
  /** With its parameters in braces. */
  template: string;
  parameters: readonly Parameter[];
  /** Name of its first security scheme; left out: anybody may call it. */
  scheme?: string;
  /** Media types of its success. */
  types: readonly string[];
  /** Media type of its body. */
  bodyType?: string;
  /** The example of its body. */
  example?: unknown;
}>;

/** Credentials by security scheme, but for those of users that a test makes. */
export const SERVER_CREDENTIALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  accessToken: { authorization: `Bearer ${SYSTEM_ADMIN}` },
  statusAdministratorKey: { 'x-api-key': ADMIN },
  operationsKey: { 'x-api-key': OPERATOR },
  'listener-secret': { authorization: LISTENER_SECRET },
};

/** It is answered for as long as somebody listens. */
const ENDLESS = new Set(['watchOverview']);
/** Reads and creations go before what removes. */
const ORDER = ['PUT', 'POST', 'GET', 'PATCH', 'OPTIONS', 'DELETE'];

const typesOf = (responses: Operation['responses']): readonly string[] =>
  Object.keys(Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {});

const describedCall = (
  template: string,
  method: string,
  { operationId: id, parameters = [], requestBody, responses, security }: Operation,
): DescribedCall => {
  const [scheme] = Object.keys(security[0] ?? {});
  const [[bodyType, { example }] = ['', {}]] = Object.entries(requestBody?.content ?? {});
  return {
    id,
    method: method.toUpperCase(),
    template,
    parameters,
    types: typesOf(responses),
    ...(scheme && { scheme }),
    ...(bodyType && { bodyType }),
    ...(example !== undefined && { example }),
  };
};

/** All calls that the API describes and that end, in an order in which those that remove come last. */
export const describedCalls = async (root: HttpClient): Promise<readonly DescribedCall[]> => {
  const { paths } = (await root.get('/openapi.json')).json as Document;
  return Object.entries(paths)
    .flatMap(([template, methods]) => Object.entries(methods).map(([method, operation]) => describedCall(template, method, operation)))
    .filter(({ id }) => !ENDLESS.has(id))
    .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method));
};

/** The path of a call with its required query. @param written what stands for a parameter, as it is written; default: its example */
export const pathOf = (
  { template, parameters }: Pick<DescribedCall, 'template' | 'parameters'>,
  written = ({ example }: Parameter): string => encodeURIComponent(String(example)),
): string => {
  const values = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const valueFor = (name: string): string => {
    const parameter = values.get(name);
    return parameter ? written(parameter) : '';
  };
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${valueFor(name)}`);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueFor(name));
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
};
