import type { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { SET_ASIDE } from '#api/shared/http/failures.js';
import type { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import { wireText } from '#projections/status/layout.js';
import { NARROW, WIDE, XML_TYPE, type XmlElement, type XmlLayout, xmlOf } from './answers/xml.js';

/** One entry of the `errors` array. */
type ErrorItem = Readonly<{ message: string; code: string; details: string }>;

/** An error answer in one of the shapes of status contract 1.6. `jsonOnly`: no XML form exists. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  /** True if it says that a record to which the body refers does not exist. */
  readonly isOfReference: boolean = false;
  constructor(
    readonly statusCode: number,
    readonly body: object,
    readonly jsonOnly = false,
  ) {
    super(`status ${statusCode}`);
  }

  /** The body as XML, if it has an XML form. */
  get also(): Readonly<Record<string, string>> | undefined {
    return this.jsonOnly ? undefined : { 'application/xml': errorBody(this, true).text };
  }
}

const plain = (code: number, message: string, details?: string) =>
  new StatusError(code, { status: { message, code: `${code}`, ...(details === undefined ? {} : { details }) } });

/** An error in one part of a call. */
type Problem = Readonly<{ message: string; details: string }>;

const listed = (code: number, message: string, problems: readonly Problem[]) => {
  const errors: readonly ErrorItem[] = problems.map((problem) => ({ message: problem.message, code: `${code}`, details: problem.details }));
  return new StatusError(code, { status: { message, code: `${code}` }, errors });
};

const itemised = (code: number, message: string, details: string) => listed(code, message, [{ message, details }]);

/** `E400J` */
export const malformedJson = () => itemised(400, 'Bad Request', 'Request Body contains malformed JSON, thus rendering the Request Bad');
/** `E400D` */
export const badDate = (value: string) =>
  itemised(400, 'Bad Request', `date parameter value: ${value} is not in the valid form of YYYY-MM-DD`);
/** `E400V`: one item for each wrong parameter. */
export const badParameters = (problems: readonly Problem[]) => listed(400, 'Bad Request', problems);
/** A 400 in the shape of `E400D` with other details. */
export const badRequest = (details: string) => itemised(400, 'Bad Request', details);
/** `E401` */
export const unauthorized = () =>
  plain(401, 'Unauthorized', "You need to provide a correct authentication token using the header 'x-api-key'");
/** `E403` */
export const forbidden = () => plain(403, 'Access to the resource is Forbidden');
/** `E404` */
export const notFound = () => itemised(404, 'Not Found', 'item with the specific ID was not found on the server');
/** `E404S`: unknown user of a known tenant */
export const userNotFound = () => plain(404, 'Not Found', 'item with the specific ID was not found on the server');
/** `E404Q` */
export const queryFoundNothing = () => itemised(404, 'Not Found', 'Specific query returned no items');
/** `EMSG(code)`: message and code at the top level, the code as text */
export const messageOnly = (code: number, message: string, jsonOnly = false) =>
  new StatusError(code, { message, code: `${code}` }, jsonOnly);
/** `EMSGN(code)`: the same with a numeric code */
export const numericMessage = (code: number, message: string, jsonOnly = false) => new StatusError(code, { message, code }, jsonOnly);
/** The same, in JSON whatever the caller accepts. */
export const messageInJson = (code: number, message: string) => messageOnly(code, message, true);
export const numericInJson = (code: number, message: string) => numericMessage(code, message, true);
/** `ESTAT(code)`: a status without errors */
export const statusOnly = (code: number, message: string) => plain(code, message);
/** The same error, in JSON whatever the caller accepts. */
export const asJson = ({ statusCode, body }: StatusError) => new StatusError(statusCode, body, true);
/** `E406`, always JSON. `type`: media type of a route that answers neither JSON nor XML */
export const notAcceptable = (type?: string): StatusError => {
  const types = type === undefined ? "types are 'application/xml' and 'application/json'" : `type is '${type}'`;
  const details = `Accept header provided did not contain any valid content types. Acceptable content ${types}`;
  return new StatusError(406, { status: { message: 'Not Acceptable Content Type', code: '406', details } }, true);
};
/** The body did not arrive in time. */
export const bodyTooSlow = () => itemised(408, 'Request Timeout', 'The request body took too long to arrive');
/** A quota of the tenant is exceeded; the original has none. */
export const quotaExceeded = (details: string) => itemised(429, 'Too Many Requests', details);
/** `E409(x)` */
export const conflict = (details: string) => itemised(409, 'Conflict', details);
/** The status of a recomputation is not eligible: a conflict by its text, 404 by its code (status contract 11.4). */
export const ineligibleStatus = (eligible: readonly string[]) =>
  itemised(404, 'Conflict', `status should be among values: ${eligible.map((status) => `"${status}"`).join(',')}`);
/** `E422(x)` */
export const unprocessable = (details: string) => itemised(422, 'Unprocessable Entity', details);
/** Marks an error that says that a record to which the body refers does not exist. */
export const ofReference = (error: StatusError): StatusError => Object.assign(error, { isOfReference: true });
/** `E422L`: items with messages of their own */
export const unprocessableItems = (problems: readonly Problem[]) => listed(422, 'Unprocessable Entity', problems);
/** `E422OP`, always JSON */
export const invalidProfile = (lines: readonly string[]): StatusError => {
  const errors = lines.map((details) => ({ message: 'Validation Failed', code: '422', details }));
  return new StatusError(422, { status: { message: 'Validation Error', code: '422' }, errors }, true);
};
/** 500 with a fixed text; the cause is in the log, under the request id. Always JSON. */
export const internalError = () => new StatusError(500, itemised(500, 'Internal Server Error', 'Internal Server Error').body, true);
/** The caller has disconnected and does not receive this answer. */
export const nobodyWaits = () => plain(499, 'Client Closed Request');
/** The stores cannot serve the call now. It may be repeated. @param why continuation of the text */
export const unavailable = (why = '') =>
  itemised(503, 'Service Unavailable', `The service cannot process the request now, try again later${why}`);
/** A read as of the past is refused. The original has no such reads. */
export const asOfRefused = ({ statusCode, message, obstacle }: AsOfRefused): StatusError => {
  switch (obstacle) {
    case 'malformed':
      return badRequest(message);
    case 'key':
      return forbidden();
    case 'lost':
      return itemised(statusCode, 'Gone', message);
    case 'late':
    case 'unavailable':
      return itemised(statusCode, 'Service Unavailable', message);
  }
};
/** Another node answers the request. */
export const roleElsewhere = ({ statusCode, message }: RoleElsewhere) => itemised(statusCode, 'Service Unavailable', message);
export const setAside = () => itemised(503, 'Service Unavailable', SET_ASIDE);

/** The error of a refused call, as an example for OpenAPI. @throws Error if the call is not refused */
export const refusalOf = (call: () => unknown): StatusError => {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('the call is not refused');
};

/** Elements in the order of the members; `errors` holds its items. */
const xmlElement = (name: string, value: unknown): XmlElement => {
  if (typeof value !== 'object' || value === null) return { name, content: String(value) };
  const children = Object.entries(value).map(([member, content]) =>
    member === 'errors' && Array.isArray(content)
      ? { name: member, content: content.map((item) => xmlElement('error', item)) }
      : xmlElement(member, content),
  );
  return { name, content: children };
};

/** Errors with a numeric code are laid out like the metric results in whose place they are sent. */
const layoutOf = (body: object): XmlLayout => ('code' in body && typeof body.code === 'number' ? WIDE : NARROW);

/** The body of an error as JSON or XML text (status contract 15). */
export const errorBody = (error: StatusError, xml: boolean): Readonly<{ type: string; text: string }> =>
  xml && !error.jsonOnly
    ? { type: XML_TYPE, text: xmlOf(xmlElement('root', error.body), layoutOf(error.body)) }
    : { type: 'application/json; charset=utf-8', text: wireText(error.body) };
