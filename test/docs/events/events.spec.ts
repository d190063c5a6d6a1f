import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { catalogues } from '#api/runtime/vocabulary.js';
import { CommittedSchemas } from '#test/support/events/event-schemas.js';
import { PublishedMessages } from '#test/support/events/published-messages.js';
import { definitionName } from './catalogue.js';
import { eventDocuments } from './documents.js';

const { types, events, examples, files } = eventDocuments();
/** Only their writers read them. */
const BESIDE = ['integrity.import', 'keys.master', 'keys.subject'];

const namesOf = (byCategory: Readonly<Record<string, object>>): readonly string[] =>
  Object.entries(byCategory).flatMap(([category, named]) => Object.keys(named).map((type) => `${category}.${type}`));

describe('docs/events', () => {
  it('is what `npm run docs:events` writes', () => {
    for (const [path, text] of Object.entries(files)) expect([path, readFileSync(path, 'utf8') === text]).toEqual([path, true]);
    expect(readdirSync('docs/events').map((name) => `docs/events/${name}`)).toEqual(
      expect.arrayContaining(Object.keys(files).filter((path) => path.startsWith('docs/events/'))),
    );
    expect(readdirSync('docs/events')).toHaveLength(Object.keys(files).filter((path) => path.startsWith('docs/events/')).length);
  });

  it('holds valid JSON Schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    for (const name of readdirSync('docs/events')) {
      const valid = ajv.validateSchema(JSON.parse(readFileSync(`docs/events/${name}`, 'utf8')));
      expect([name, valid, ajv.errorsText()]).toEqual([name, true, 'No errors']);
    }
  });

  it('has every type of the catalogues, and no other', () => {
    const described = namesOf(types.events).filter((name) => !BESIDE.some((category) => name.startsWith(`${category}.`)));
    expect([...described].sort()).toEqual([...namesOf(catalogues)].sort());
  });

  it('has the comment of each event, also where two services have a type of one name', () => {
    const nameIn = ({ category, type }: (typeof events)[number]) => `${category.split('.')[0]}.${type}`;
    expect(new Set(events.map(nameIn)).size).toBe(events.length); // comments are found by service and type
    const deleted = (category: string) => events.find((event) => event.category === category && event.type === 'ProjectDeleted');
    expect(deleted('messaging.accounts')?.description).toMatch(/^Includes the project's topics/);
    expect(deleted('accounting.catalogue')?.description).toMatch(/^Includes the project's associations/);
  });

  it('names sealed members that the data have', () => {
    for (const event of events)
      for (const path of event.sealed)
        expect([definitionName(event), path, JSON.stringify(event.schema).includes('#/$defs/Sealed')]).toEqual([
          definitionName(event),
          path,
          true,
        ]);
  });

  it('has an example of every type, which its schema accepts', () => {
    const schemas = new CommittedSchemas();
    expect(Object.keys(examples)).toEqual(events.map(definitionName));
    for (const { category, type } of events) {
      const flaw = schemas.flawOfData(category, type, examples[`${category}.${type}`]);
      expect([type, flaw]).toEqual([type, null]);
    }
  });

  it('refuses data with a member too many, and with one too few', () => {
    const schemas = new CommittedSchemas();
    const { acronym, ...rest } = examples['accounting.catalogue.ProjectRevised'] as Record<string, unknown>;
    expect(acronym).toBeDefined();
    expect(schemas.flawOfData('accounting.catalogue', 'ProjectRevised', rest)).toMatch(/required property 'acronym'/);
    expect(schemas.flawOfData('accounting.catalogue', 'ProjectRevised', { ...rest, acronym, more: 1 })).toMatch(/additional properties/);
  });
});

describe('docs/asyncapi.json', () => {
  const document = JSON.parse(readFileSync('docs/asyncapi.json', 'utf8'));

  it('is AsyncAPI 3.0', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const schema = JSON.parse(readFileSync('node_modules/@asyncapi/specs/schemas/3.0.0.json', 'utf8'));
    const valid = ajv.compile(schema);
    valid(document);
    expect(valid.errors).toBeNull();
    expect(ajv.validate(schema, { ...document, channels: { a: { address: 7 } } })).toBe(false);
  });

  it('describes its own example', () => {
    const [{ headers, payload }] = document.components.messages.statusChange.examples;
    expect(new PublishedMessages().flawOf('statusChange', headers, payload)).toBeNull();
    expect(new PublishedMessages().flawOf('statusChange', headers, { ...payload, cause: { type: 'unheard of' } })).not.toBeNull();
  });
});
