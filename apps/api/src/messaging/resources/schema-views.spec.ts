import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownSize } from '#domain/messaging/resources/resource-limits.js';
import type { JsonObject } from '#domain/shared/events.js';
import { j1 } from '#projections/messaging/layout.js';
import { forAny } from '#test/support/for-any.js';
import { type ShownSchema, schemaBody, schemaListPieces } from './schema-views.js';

const project = { projectId: 'p', name: 'P' };
const schemaOf = (document: JsonObject): ShownSchema => ({ schemaId: 'id', name: 'S', type: 'json', document });

const documents = fc.dictionary(
  fc.constantFrom('a', 'b', 'c<'),
  fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 1.5, '', 'text', '<&>\u2028"\\'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('x', 'y'), tie('json'), { maxKeys: 2 }),
    ),
  })).json,
) as fc.Arbitrary<JsonObject>;

const listed = async (schemas: readonly ShownSchema[]): Promise<string> => {
  const all = async function* () {
    yield* schemas;
  };
  let text = '';
  for await (const piece of schemaListPieces(project, all())) text += piece.join('');
  return text;
};

/** With sorted keys, as in responses. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
};

describe('schemas in responses', () => {
  it('are as long as is said before they are stored', () =>
    forAny(100, documents, (document) => {
      const body = schemaBody(project, schemaOf(document));
      expect(shownSize(document)).toBe(body.slice(body.indexOf('"schema": ') + 10, -2).length);
    }));

  it('are listed piece by piece in the layout of the whole', () =>
    forAny(100, fc.array(documents, { maxLength: 3 }), async (all) => {
      const whole = all.map((document) => ({ uuid: 'id', name: 'projects/P/schemas/S', type: 'json', schema: ordered(document) }));
      expect(await listed(all.map(schemaOf))).toBe(j1({ schemas: whole }));
    }));
});
