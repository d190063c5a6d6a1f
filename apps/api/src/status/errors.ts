import { wireText } from '#projections/status/layout.js';

/** One entry of the `errors` array. */
export type ErrorItem = Readonly<{ message: string; code: string; details: string }>;

/** An answer other than success, in one of the shapes of status contract 1.6. `jsonOnly`: no XML form exists. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  constructor(
    readonly statusCode: number,
    readonly body: object,
    readonly jsonOnly = false,
  ) {
    super(`status ${statusCode}`);
  }
}

const plain = (code: number, message: string, details?: string): StatusError =>
  new StatusError(code, { status: { message, code: `${code}`, ...(details === undefined ? {} : { details }) } });

const listed = (code: number, message: string, errors: readonly ErrorItem[]): StatusError =>
  new StatusError(code, { status: { message, code: `${code}` }, errors });

const itemised = (code: number, message: string, details: string): StatusError =>
  listed(code, message, [{ message, code: `${code}`, details }]);

/** `E400J` */
export const malformedJson = (): StatusError =>
  itemised(400, 'Bad Request', 'Request Body contains malformed JSON, thus rendering the Request Bad');
/** `E400D` */
export const badDate = (value: string): StatusError =>
  itemised(400, 'Bad Request', `date parameter value: ${value} is not in the valid form of YYYY-MM-DD`);
/** `E400V`: every parameter of a route family that is wrong. */
export const badParameters = (problems: readonly Readonly<{ message: string; details: string }>[]): StatusError =>
  listed(
    400,
    'Bad Request',
    problems.map(({ message, details }) => ({ message, code: '400', details })),
  );
/** A 400 in the shape of `E400D` with other details. */
export const badRequest = (details: string): StatusError => itemised(400, 'Bad Request', details);
/** `E401` */
export const unauthorized = (): StatusError =>
  plain(401, 'Unauthorized', "You need to provide a correct authentication token using the header 'x-api-key'");
/** `E403` */
export const forbidden = (): StatusError => plain(403, 'Access to the resource is Forbidden');
/** `E404` */
export const notFound = (): StatusError => itemised(404, 'Not Found', 'item with the specific ID was not found on the server');
/** `E404S`: unknown user inside a known tenant */
export const userNotFound = (): StatusError => plain(404, 'Not Found', 'item with the specific ID was not found on the server');
/** `E404Q` */
export const queryFoundNothing = (): StatusError => itemised(404, 'Not Found', 'Specific query returned no items');
/** `EMSG(code)`: message and code at the top level, the code as text */
export const messageOnly = (code: number, message: string): StatusError => new StatusError(code, { message, code: `${code}` });
/** `EMSGN(code)`: the same with a numeric code */
export const numericMessage = (code: number, message: string): StatusError => new StatusError(code, { message, code });
/** `ESTAT(code)`: a status without errors */
export const statusOnly = (code: number, message: string): StatusError => plain(code, message);
/** `E406`, always JSON */
export const notAcceptable = (): StatusError => {
  const details =
    "Accept header provided did not contain any valid content types. Acceptable content types are 'application/xml' and 'application/json'";
  return new StatusError(406, { status: { message: 'Not Acceptable Content Type', code: '406', details } }, true);
};
/** `E409(x)` */
export const conflict = (details: string): StatusError => itemised(409, 'Conflict', details);
/** `E422(x)` */
export const unprocessable = (details: string): StatusError => itemised(422, 'Unprocessable Entity', details);
/** `E422L`: items with messages of their own */
export const unprocessableItems = (problems: readonly Readonly<{ message: string; details: string }>[]): StatusError =>
  listed(
    422,
    'Unprocessable Entity',
    problems.map(({ message, details }) => ({ message, code: '422', details })),
  );
/** `E422OP`, always JSON */
export const invalidProfile = (lines: readonly string[]): StatusError => {
  const errors = lines.map((details) => ({ message: 'Validation Failed', code: '422', details }));
  return new StatusError(422, { status: { message: 'Validation Error', code: '422' }, errors }, true);
};
/** `E500` with a fixed text: what went wrong inside is in the log, under the request id. Always JSON. */
export const internalError = (): StatusError =>
  new StatusError(500, itemised(500, 'Internal Server Error', 'Internal Server Error').body, true);
/** The stores cannot take or answer the call now; it may be repeated. */
export const unavailable = (): StatusError =>
  itemised(503, 'Service Unavailable', 'The service cannot process the request now, try again later');

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};
/** Characters that XML 1.0 cannot hold become U+FFFD. */
const xmlText = (value: string): string =>
  value
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"'\t\n\r]/g, (character) => XML_ESCAPES[character] ?? character);

/** Elements in the order of the members, one space per level; an array repeats its element. */
const xmlLines = (name: string, value: unknown, indent: string): string[] => {
  if (typeof value !== 'object') return [`${indent}<${name}>${xmlText(String(value))}</${name}>`];
  const inner = Object.entries(value ?? {}).flatMap(([member, content]) =>
    member === 'errors' && Array.isArray(content)
      ? [`${indent} <errors>`, ...content.flatMap((item) => xmlLines('error', item, `${indent}  `)), `${indent} </errors>`]
      : xmlLines(member, content, `${indent} `),
  );
  return [`${indent}<${name}>`, ...inner, `${indent}</${name}>`];
};

/** The body of an error as JSON or XML text (status contract 15). */
export const errorBody = (error: StatusError, xml: boolean): Readonly<{ type: string; text: string }> =>
  xml && !error.jsonOnly
    ? { type: 'application/xml; charset=utf-8', text: xmlLines('root', error.body, '').join('\n') }
    : { type: 'application/json; charset=utf-8', text: wireText(error.body) };
