import { filled } from '#api/accounting/bodies.js';
import { inSteps, type Shape } from '#api/shared/bodies/body-shape.js';
import { type JsonTree, jsonTree } from '#api/shared/json/json-tree.js';
import { bounded, component, doc, either, oneOf, schema } from '#domain/shared/shape.js';

const NODE = schema({ $ref: '#/components/schemas/AccountingSearch' });
const QUERY = component('AccountingSearchQuery', {
  type: oneOf('query'),
  field: filled('name of a member of the record').schema,
  values: doc(either('text', 'number', 'flag', 'null'), 'one value; a text of the form yyyy-MM-ddTHH:mm:ssZ is an instant'),
  'operand?': doc(oneOf('eq', 'neq', 'lt', 'lte', 'gt', 'gte'), 'in any letter case; default eq'),
});
const FILTER = component('AccountingSearchFilter', {
  type: oneOf('filter'),
  operator: doc(oneOf('AND', 'OR'), 'in any letter case'),
  criteria: bounded([NODE], { minItems: 1 }),
});

/** The body of a search, of any structure: the structure is checked after the caller's permission. */
export const searchBody: Shape<JsonTree> = {
  zero: () => null,
  ...inSteps(jsonTree),
  schema: component('AccountingSearch', either(QUERY, FILTER), 'accounting contract 5.1'),
};
