import type { Recipe } from './recipe.js';

const domain = `import { datedResource } from './dated-records.js';

/** Days on which a site is staffed. */
export type Calendar = Readonly<{ name: string; days: readonly string[] }>;

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

export const calendars = datedResource<Calendar>({
  kind: 'calendars',
  events: { dated: 'CalendarSnapshotDated', deleted: 'CalendarDeleted' },
  validate: ({ days }) => days.filter((day) => !DAYS.includes(day)).map((day) => \`No day of the week: \${day}\`),
});
`;

const spec = `import { expect, it } from '@jest/globals';
import { calendars } from './calendars.js';

it('calendars have days of the week', () => {
  expect(calendars.flawsOf({ name: 'a', days: ['monday', 'sunday'] })).toEqual([]);
  expect(calendars.flawsOf({ name: 'a', days: ['Monday', 'friday', ''] })).toEqual(['No day of the week: Monday', 'No day of the week: ']);
});
`;

const api = `import { due, list, struct, text } from '#api/shared/bodies/body-shape.js';
import { doc } from '#domain/shared/shape.js';
import { type Calendar, calendars } from '#domain/status/dated-records/calendars.js';
import { datedCommands } from './commands.js';
import { type DatedKind, datedBody, HEAD } from './dated-kind.js';

/** Body members in the order of the wire. */
export const calendarsKind: DatedKind<Calendar> = {
  resource: calendars,
  path: 'api/v2/calendars',
  tag: 'status: calendars',
  names: { one: 'Calendar', many: 'Calendars', words: 'calendars' },
  commands: datedCommands(calendars),
  description: 'Days on which sites are staffed',
  body: datedBody(struct({ ...HEAD, days: due(list(text), doc(['text'], 'days of the week, in English and small letters')) })),
  example: { name: 'office', days: ['monday', 'tuesday'] },
  texts: {
    created: 'Calendar successfully created',
    updated: 'Calendar successfully updated',
    deleted: 'Calendar successfully deleted',
    nameTaken: 'Calendar with the same name already exists',
  },
  updateRefers: true,
  existenceFirst: true,
};
`;

const calls = `import { expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';

const key = 'calendars-admin';

it('calendars are created, dated, read as of a day and deleted', async () => {
  const { status } = scene;
  await registerTenant(status, ADMIN, 'calendars', ['admin']);
  const created = await status.post('/calendars?date=2024-01-01', { key, body: { name: 'a', days: ['monday'] } });
  expect(created.status).toBe(201);
  const path = \`/calendars/\${idOf(created)}\`;
  expect((await status.put(\`\${path}?date=2024-02-01\`, { key, body: { name: 'a', days: ['someday'] } })).status).toBe(422);
  expect((await status.put(\`\${path}?date=2024-02-01\`, { key, body: { name: 'a', days: ['friday'] } })).status).toBe(200);
  expect(recordsOf(await status.get(\`\${path}?date=2024-01-31\`, { key }))).toMatchObject([{ days: ['monday'] }]);
  expect(recordsOf(await status.get('/calendars?date=2024-02-01', { key }))).toMatchObject([{ days: ['friday'] }]);
  expect((await status.delete(path, { key })).status).toBe(200);
  expect((await status.get(path, { key })).status).toBe(404);
});

const scene = serving(embedded);
`;

/** Calendars: a kind of dated record, with the five calls that all have. */
export const datedResource: Recipe = {
  heading: 'A dated resource of the status service',
  steps: [
    { file: 'libs/domain/src/status/dated-records/calendars.ts', text: domain },
    {
      file: 'libs/domain/src/status/index.ts',
      edits: [
        { at: 'import { catalogueOfDated,', before: "import { calendars } from '#domain/status/dated-records/calendars.js';\n" },
        { at: /thresholdsProfiles, weights\b/, after: ', calendars' },
      ],
    },
    { file: 'apps/api/src/status/dated-records/calendars.ts', text: api },
    {
      file: 'apps/api/src/status/dated-records/index.ts',
      edits: [
        { at: 'import { datedController }', before: "import { calendarsKind } from './calendars.js';\n" },
        { at: '  ofKind(weightsKind),\n', after: '  ofKind(calendarsKind),\n' },
      ],
    },
    {
      file: 'apps/api/src/shared/openapi/tags.ts',
      edits: [{ at: /.*'status: factors'/, before: "  'status: calendars': 'Days on which sites are staffed; versions by date',\n" }],
    },
    {
      file: 'test/docs/events/event-types.ts',
      edits: [
        { at: 'import type { NamedRecord,', before: "import type { Calendar } from '#domain/status/dated-records/calendars.js';\n" },
        { at: /.*'status\.topology_endpoints'/, before: "  'status.calendars': Dated<'Calendar', Calendar>;\n" },
      ],
    },
    {
      file: 'test/support/events/causes.ts',
      edits: [{ at: "  'status.weights': calls(", before: "  'status.calendars': calls('CalendarSnapshotDated CalendarDeleted'),\n" }],
    },
    {
      file: 'test/docs/events/examples.json',
      edits: [
        {
          at: /.*"status\.topology_endpoints\.TopologyEndpointsListed"/,
          before: `  "status.calendars.CalendarSnapshotDated": {
    "id": "0a8d0f2e-2d1c-4b52-9a3a-0d2f6a7b8c9d",
    "date": "2024-01-01",
    "change": "created",
    "record": { "name": "office", "days": ["monday"] }
  },
  "status.calendars.CalendarDeleted": {
    "id": "0a8d0f2e-2d1c-4b52-9a3a-0d2f6a7b8c9d"
  },
`,
        },
      ],
    },
    { file: 'libs/domain/src/status/dated-records/calendars.spec.ts', text: spec },
    { file: 'test/e2e/status/dated-records/calendars.e2e-spec.ts', text: calls },
  ],
};
