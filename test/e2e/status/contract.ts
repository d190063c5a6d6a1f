/** Texts and bodies of the status contract, written down independently of the implementation. */

export const DATED = ['operations_profiles', 'weights'] as const;
export type DatedResource = (typeof DATED)[number];

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const UNKNOWN_ID = '6ac7d684-1f8e-4a02-a502-720e8f11e50b';
export const UTF8_JSON = 'application/json; charset=utf-8';

/** The layout of status contract 1.8: one space a level, no newline at the end, three characters escaped. */
export const pretty = (value: unknown): string =>
  JSON.stringify(value, null, 1).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);

export const listOf = (...data: readonly unknown[]) => ({ status: { message: 'Success', code: '200' }, data });
export const messageOf = (message: string) => ({ status: { message, code: '200' } });

const withErrors = (code: string, message: string, details: readonly string[], item = message) => ({
  status: { message, code },
  errors: details.map((text) => ({ message: item, code, details: text })),
});

export const malformed = withErrors('400', 'Bad Request', ['Request Body contains malformed JSON, thus rendering the Request Bad']);
export const badDate = (value: string) =>
  withErrors('400', 'Bad Request', [`date parameter value: ${value} is not in the valid form of YYYY-MM-DD`]);
export const unauthorized = {
  status: {
    message: 'Unauthorized',
    code: '401',
    details: "You need to provide a correct authentication token using the header 'x-api-key'",
  },
};
export const forbidden = { status: { message: 'Access to the resource is Forbidden', code: '403' } };
export const notFound = withErrors('404', 'Not Found', ['item with the specific ID was not found on the server']);
export const notAcceptable = {
  status: {
    message: 'Not Acceptable Content Type',
    code: '406',
    details:
      "Accept header provided did not contain any valid content types. Acceptable content types are 'application/xml' and 'application/json'",
  },
};
export const conflict = (details: string) => withErrors('409', 'Conflict', [details]);
export const invalidProfile = (...details: readonly string[]) => withErrors('422', 'Validation Error', details, 'Validation Failed');

const NAME_TAKEN: Readonly<Record<DatedResource, string>> = {
  operations_profiles: 'Operations profile with the same name already exists',
  weights: 'Weights resource with the same name already exists',
};
export const nameTaken = (resource: DatedResource) => conflict(NAME_TAKEN[resource]);

export const CREATED: Readonly<Record<DatedResource, string>> = {
  operations_profiles: 'Operations Profile successfully created',
  weights: 'Weights resource succesfully created',
};
export const UPDATED: Readonly<Record<DatedResource, string>> = {
  operations_profiles: 'Operations Profile successfully updated',
  weights: 'Weights resource successfully updated',
};
export const DELETED: Readonly<Record<DatedResource, string>> = {
  operations_profiles: 'Operations Profile Successfully Deleted',
  weights: 'Weights resource successfully deleted',
};

type Statement = Readonly<{ a?: unknown; b?: unknown; x?: unknown }>;
export type Profile = Readonly<{
  name: string;
  available_states: readonly string[];
  defaults: Readonly<{ down?: string; missing?: string; unknown?: string }>;
  operations: readonly Readonly<{ name: string; truth_table: readonly Statement[] }>[];
}>;

export const profile = (name: string, changes: Partial<Profile> = {}): Profile => ({
  name,
  available_states: ['OK', 'CRITICAL', 'UNKNOWN'],
  defaults: { down: 'CRITICAL', missing: 'UNKNOWN', unknown: 'UNKNOWN' },
  operations: [
    {
      name: 'AND',
      truth_table: [
        { a: 'OK', b: 'CRITICAL', x: 'CRITICAL' },
        { a: 'OK', b: 'UNKNOWN', x: 'UNKNOWN' },
        { a: 'CRITICAL', b: 'UNKNOWN', x: 'CRITICAL' },
      ],
    },
  ],
  ...changes,
});

export const weights = (name: string, value = 1.5) => ({
  name,
  weight_type: 'hepspec',
  group_type: 'SITES',
  groups: [
    { name: 'SITE-A', value },
    { name: 'SITE-B', value: 1000 },
  ],
});

/** A body of either resource; `mark` tells two of one name apart. */
export const sample = (resource: DatedResource, name: string, mark = 1) =>
  resource === 'weights'
    ? weights(name, mark)
    : profile(name, { available_states: ['OK', 'CRITICAL', 'UNKNOWN', ...extraStates(mark)], operations: [] });

const extraStates = (count: number): string[] => Array.from({ length: count }, (_, index) => `STATE-${index}`);

/** How a body sent with an id and a day reads back: the members in the contract's order. */
export const recordOf = (id: string, date: string, body: object) => ({ id, date, ...body });
