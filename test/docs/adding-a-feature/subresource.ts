import { type Recipe, raised } from './recipe.js';

const routes = `  @Put(':schema/note', {
    id: 'noteSchema',
    summary: 'Says something about a schema, in place of what was said before',
    who: ADMINS,
    body: noteBody,
    example: { note: 'used by accounting' },
    answers: DONE,
  })
  async note(@Call() { context, project: { projectId }, body }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    const { note } = bodyFrom(body, noteBody, errors.invalidSchemaArguments);
    if (note.length > LONGEST_NOTE) throw errors.invalidSchemaArguments();
    return done(this.bus.execute(new NoteSchema(context, { projectId, name, note })));
  }

  @Get(':schema/note', {
    id: 'getSchemaNote',
    summary: 'What was said about a schema; empty: nothing',
    who: ADMINS,
    answers: shows({ note: 'text' }, { note: 'used by accounting' }),
  })
  async showNote(@Call() { project }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    const { note = '' } = schemaIn(await this.stored(project, name));
    return json(j1({ note }));
  }

`;

const rule = `
describe('notes of schemas', () =>
  it('are said in place of the one before', () => {
    const note = (text: string): ResourceCommand => ({ type: 'NoteSchema', name: 's', note: text });
    const noted = (text: string): ResourceEvent => ({ type: 'SchemaNoted', data: { schemaId: 'id-s', note: text } });
    given(schemaCreated('s')).when(note('a')).then(noted('a'));
    given(schemaCreated('s'), noted('a')).when(note('a')).then();
    given(schemaCreated('s'), noted('a')).when(note('')).then(noted(''));
    given().when(note('a')).thenRejected('SCHEMA_NOT_FOUND');
  }));
`;

const calls = `
  it('have a note', async () => {
    const p = await createProject(scene, 'notes');
    await p.schema('s');
    expectBody(await p.get('/schemas/s/note'), { note: '' }, j1);
    expectEmpty(await p.put('/schemas/s/note', { note: 'used by accounting' }));
    expectEmpty(await p.put('/schemas/s', { name: 'projects/notes/schemas/r' }).then(() => p.put('/schemas/r/note', { note: 'again' })));
    expectBody(await p.get('/schemas/r/note'), { note: 'again' }, j1);
    expectError(await p.put('/schemas/s/note', { note: 'x' }), MISSING);
    expectError(await p.put('/schemas/r/note', { note: 'x'.repeat(1_001) }), BAD_ARGUMENTS);
  });
`;

/** A note of a schema, which can be set and read. */
export const subresource: Recipe = {
  heading: 'A subresource of messaging with state',
  steps: [
    {
      file: 'libs/domain/src/messaging/resources/schemas.ts',
      edits: [
        {
          at: /.*type: 'SchemaRevised'.*\n/,
          after: "  | Readonly<{ type: 'SchemaNoted'; data: Readonly<{ schemaId: string; note: string }> }>\n",
        },
        { at: '  SchemaDeleted: { resource: ended(schema) },\n', before: '  SchemaNoted: { resource: schema },\n' },
        { at: "  | Readonly<{ type: 'DeleteSchema'", before: "  | Readonly<{ type: 'NoteSchema'; name: string; note: string }>\n" },
        { at: 'content: SchemaContent; size: number', after: '; note: string' },
        {
          at: '  DeleteSchema: (command, { schemas }) => {',
          before: `  NoteSchema: ({ name, note }, { schemas }) => {
    const before = schemas.named(name);
    return before.note === note ? [] : [{ type: 'SchemaNoted', data: { schemaId: before.id, note } }];
  },
`,
        },
        { at: 'size: shownSize(document) });', instead: "size: shownSize(document), note: schemas.all.get(id)?.note ?? '' });" },
        {
          at: '  SchemaDeleted: ({ schemas, topics }',
          before: '  SchemaNoted: ({ schemas }, { schemaId, note }) => schemas.put({ ...schemas.withId(schemaId), note }),\n',
        },
      ],
    },
    { file: 'libs/domain/src/messaging/resources/resources.ts', edits: [raised] },
    {
      file: 'libs/infra/src/engine/stream-processor/snapshots/kept-states.spec.ts',
      edits: [{ at: /.*\['TopicCreated', \{ topicId: 't1'/, before: "      ['SchemaNoted', { schemaId: 's1', note: 'n' }],\n" }],
    },
    {
      file: 'test/support/events/causes.ts',
      edits: [{ at: ' SchemaDeleted', after: ' SchemaNoted' }],
    },
    {
      file: 'test/docs/events/examples.json',
      edits: [
        {
          at: /.*"messaging\.resources\.SchemaDeleted"/,
          before: `  "messaging.resources.SchemaNoted": {
    "schemaId": "df573848-fc7a-42a2-8429-f4426b8083a3",
    "note": "used by accounting"
  },
`,
        },
      ],
    },
    {
      file: 'libs/projections/src/messaging/resources/documents.ts',
      edits: [{ at: 'type: SchemaType; document: JsonObject', after: '; note?: string' }],
    },
    {
      file: 'libs/projections/src/messaging/resources/projection.ts',
      edits: [
        { at: "Event<'SchemaRevised' | 'SchemaDeleted'>", instead: "Event<'SchemaRevised' | 'SchemaNoted' | 'SchemaDeleted'>" },
        {
          at: '  SchemaDeleted: reading(',
          before: `  SchemaNoted: reading(
    (event: Event<'SchemaNoted'>) => schemaIn(event),
    (event, { schema }) => (schema ? schemaWritten(projectOf(event), { ...schema, note: event.data.note }) : []),
  ),
`,
        },
        raised,
      ],
    },
    {
      file: 'apps/api/src/messaging/resources/schema-commands.ts',
      edits: [
        {
          at: '/** Deletes a schema.',
          before: `/** Says something about a schema, in place of what was said before. */
export class NoteSchema extends commandTo(toResources, 'NoteSchema') {}

`,
        },
      ],
    },
    {
      file: 'apps/api/src/messaging/resources/schemas.controller.ts',
      edits: [
        { at: 'import { bodyOfKnown }', instead: 'import { bodyFrom, bodyOfKnown }' },
        {
          at: "import type { ReceivedBody } from '#api/shared/bodies/body-shape.js';",
          instead: "import { due, named, type ReceivedBody, struct, text } from '#api/shared/bodies/body-shape.js';",
        },
        {
          at: "import { shows } from '#api/shared/openapi/described.js';\n",
          after: "import { doc } from '#domain/shared/shape.js';\n",
        },
        { at: 'import { CreateSchema, DeleteSchema, ', after: 'NoteSchema, ' },
        {
          at: '/** Requested changes of the schema',
          before: `const LONGEST_NOTE = 1_000;
const noteBody = named('MessagingSchemaNote', struct({ note: due(text, doc('text', 'empty: nothing', { maxLength: LONGEST_NOTE })) }));

`,
        },
        { at: "  @Post(withVerb('schema', 'validate'), {", before: routes },
      ],
    },
    {
      file: 'libs/domain/src/messaging/resources/resources.spec.ts',
      edits: [{ at: "\ndescribe('schemas', () => {", before: rule }],
    },
    {
      file: 'test/e2e/messaging/resources/schemas.e2e-spec.ts',
      edits: [
        {
          at: "describe.each(deployments)('schemas on %s', (_name, open) => {\n  const scene = serving(open, WITH_TOKEN);\n",
          after: calls,
        },
      ],
    },
  ],
};
