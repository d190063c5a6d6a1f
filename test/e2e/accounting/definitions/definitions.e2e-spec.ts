import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectCreated, expectRecord, fresh, PUBLIC_URL, records } from '#test/e2e/accounting/records.js';
import {
  accountingServing,
  entitlement,
  expectMessage,
  FORBIDDEN,
  OBJECT_ID,
  pageIn,
  UNKNOWN_OBJECT_ID,
} from '#test/e2e/accounting/serving.js';
import { deployments, embedded } from '#test/support/deployments.js';

const environment = { LOGBOOK_PUBLIC_URL: PUBLIC_URL };
const notFound = (id: string) => `There is no Metric Definition with the following id: ${id}`;

describe.each(deployments)('A metric definition on %s', (_name, open) => {
  const scene = accountingServing(open, environment);

  it('is created, listed, changed and deleted', async () => {
    const body = { metric_name: 'cpu', metric_description: 'd', unit_type: 'tb', metric_type: 'Count' };
    const created = await scene.admin.post('/metric-definitions', { ...body, creator_id: 'x' });
    const { metric_definition_id: id, creator_id } = created.json as Record<string, string>;
    expect(id).toMatch(OBJECT_ID);
    expectCreated(created, `/metric-definitions/${id}`, { metric_definition_id: id, ...body, creator_id });
    const stored = { metric_definition_id: id, ...body, creator_id };
    const read = await scene.admin.get(`/metric-definitions/${id}`);
    expectRecord(read, 200, stored);
    expect(read.text).toBe(created.text);
    expect(pageIn(await scene.admin.get('/metric-definitions')).content).toEqual([stored]);
    const search = { type: 'query', field: 'creatorId', values: creator_id };
    expect(pageIn(await scene.admin.post('/metric-definitions/search', search)).content).toEqual([stored]);
    const changed = { ...stored, metric_name: 'CPU', metric_type: 'averaged' };
    expectRecord(
      await scene.admin.patch(`/metric-definitions/${id}`, { metric_name: 'CPU', metric_type: 'averaged', unit_type: '' }),
      200,
      changed,
    );
    expectRecord(await scene.admin.patch(`/metric-definitions/${id}`, {}), 200, changed);
    expectMessage(await scene.admin.delete(`/metric-definitions/${id}`), 200, 'Metric Definition has been deleted successfully.');
    expectMessage(await scene.admin.get(`/metric-definitions/${id}`), 404, notFound(id ?? ''));
  });
});

const UNITS = [
  ['TB', 'terabyte'],
  ['TB/year', 'terabyte per year'],
  ['Endpoints Monitored/hour', 'Endpoints Monitored per hour'],
  ['Messages/hour', 'Messages per hour'],
  ['Service Updates', 'Service Updates'],
  ['#', 'number of'],
  ['count', 'count of'],
  ['API reqs', 'API requests'],
  ['PID prefixes', 'PID prefixes'],
  ['CPU Time', 'the exact amount of time that the CPU has spent processing data'],
  ['s', 'second'],
] as const;
const METRICS = [
  ['aggregated', 'The sum of all values captured over the aggregation interval'],
  ['count', 'It represents the total number of event occurrences in one time interval'],
  ['summarised', 'It represents the measured values in one time interval'],
  ['averaged', 'The average of the values captured in one time interval'],
] as const;

describe('Metric definitions', () => {
  const scene = accountingServing(embedded, environment);
  const make = records(() => scene.admin);
  beforeAll(() => scene.trustTokens());

  it('are checked in the order of the contract', async () => {
    const outsider = await scene.caller('outsider', entitlement('admin', 'elsewhere'));
    const viewer = await scene.caller('viewer', entitlement('viewer', 'operations', 'resources'));
    expectMessage(await viewer.patch('/metric-definitions/nosuch', undefined), 403, FORBIDDEN);
    for (const path of ['?page=0', '/nosuch']) expectMessage(await outsider.get(`/metric-definitions${path}`), 403, FORBIDDEN);
    expectMessage(await viewer.get('/metric-definitions?page=0'), 400, 'Page number must be >= 1.');

    const { metric_definition_id: holder, metric_name } = await make.definition({ metric_name: fresh('Metric') });
    const steps: readonly (readonly [object, number, string])[] = [
      [{}, 400, 'metric_name may not be empty.'],
      [{ metric_name: metric_name?.toUpperCase() }, 400, 'metric_type may not be empty.'],
      [{ metric_type: 'nosuch' }, 400, 'unit_type may not be empty.'],
      [{ unit_type: 'none' }, 404, 'There is no metric type : nosuch'],
      [{ metric_type: 'aggregated' }, 404, 'There is no unit type : none'],
      [
        { unit_type: 'tb' },
        409,
        `There is a Metric Definition with unit type tb and name ${metric_name?.toUpperCase()}. Its id is ${holder}`,
      ],
    ];
    expectMessage(await scene.admin.post('/metric-definitions', undefined), 400, 'The request body is empty.');
    expectMessage(await scene.admin.post('/metric-definitions', '['), 400, 'HTTP 400 Bad Request');
    let body = {};
    for (const [more, code, message] of steps) {
      body = { ...body, ...more };
      expectMessage(await scene.admin.post('/metric-definitions', body), code, message);
    }
    const other = await make.definition();
    const path = `/metric-definitions/${other.metric_definition_id}`;
    for (const id of ['nosuch', UNKNOWN_OBJECT_ID]) {
      expectMessage(await scene.admin.patch(`/metric-definitions/${id}`, undefined), 404, notFound(id));
      expectMessage(await scene.admin.delete(`/metric-definitions/${id}`), 404, notFound(id));
    }
    expectMessage(await scene.admin.patch(path, undefined), 400, 'The request body is empty.');
    expectMessage(await scene.admin.patch(path, { unit_type: 'none', metric_type: 'nosuch' }), 404, 'There is no metric type : nosuch');
    expectMessage(await scene.admin.patch(path, { unit_type: 'none' }), 404, 'There is no unit type : none');
    const unique =
      'The combination of unit_type and metric_name should be unique. A Metric Definition with that combination has already been created.';
    expectMessage(await scene.admin.patch(path, { metric_name: metric_name?.toLowerCase() }), 409, unique);
  });

  it('cannot be changed while they are in use', async () => {
    const { project, provider } = await make.pair();
    const [measured, access] = [await make.definition(), await make.definition()];
    const installation = await make.installation(project, provider, { unit_of_access: access.metric_definition_id });
    const { metric_id } = await make.metric(installation.id, measured.metric_definition_id);
    const path = `/metric-definitions/${measured.metric_definition_id}`;
    const refusal = (done: string) => `The Metric Definition cannot be ${done}. There is a Metric assigned to it.`;
    expectMessage(await scene.admin.patch(path, { metric_name: access.metric_name }), 409, refusal('updated'));
    expectMessage(await scene.admin.delete(path), 409, refusal('deleted'));
    await scene.admin.delete(`/installations/${installation.id}/metrics/${metric_id}`);
    expect((await scene.admin.delete(path)).status).toBe(200);

    const used = `/metric-definitions/${access.metric_definition_id}`;
    const ofInstallation = 'The Metric Definition cannot be deleted. It is the unit of access of an Installation.';
    expectMessage(await scene.admin.delete(used), 409, ofInstallation);
    const changed: Readonly<Record<string, string>> = { ...access, metric_description: 'changed' };
    expectRecord(await scene.admin.patch(used, { metric_description: 'changed' }), 200, changed);
    const { creator_id: _, ...unit } = changed;
    expectRecord(await scene.admin.get(`/installations/${installation.id}`), 200, { ...installation, unit_of_access: unit });
    await scene.admin.delete(`/installations/${installation.id}`);
    expect((await scene.admin.delete(used)).status).toBe(200);
  });

  it.each([
    ['unit', UNITS],
    ['metric', METRICS],
  ] as const)('%s types come with the service; others are added, changed and deleted', async (kind, shipped) => {
    const [path, value, title] = [`/${kind}-types`, `${kind}_type`, kind === 'unit' ? 'Unit Type' : 'Metric Type'];
    const operator = await scene.caller('operator', entitlement('admin', 'operations', 'resources'));
    const listed = pageIn(await operator.get(`${path}?size=100`)).content;
    expect(listed).toEqual(
      shipped.map(([name, description]) => ({ id: expect.stringMatching(OBJECT_ID), [value]: name, description, creator_id: '' })),
    );
    const first = listed[0];
    expectRecord(await operator.get(`${path}/${first?.id}`), 200, first);

    const created = await operator.post(path, { [value]: 'Own', description: 'd', id: 'x', creator_id: 'y' });
    const { id } = created.json as { id: string };
    const own = { id, [value]: 'Own', description: 'd', creator_id: 'operator' };
    expectCreated(created, `${path}/${id}`, own);
    const total = shipped.length + 1;
    expect(pageIn(await operator.get(`${path}?size=3&page=${Math.ceil(total / 3)}`)).content.at(-1)).toEqual(own);
    expect(pageIn(await operator.get(`${path}?size=1&page=${total}`))).toMatchObject({ content: [own], total_elements: total });
    expect(pageIn(await operator.get(`${path}?size=1&page=${total + 1}`)).content).toEqual([]);

    const taken = (holder: unknown) => `This ${title} already exists in the Accounting Service database. Its id is ${holder}`;
    expectMessage(await operator.post(path, { [value]: 'oWN', description: 'd' }), 409, taken(id));
    expectMessage(await operator.post(path, { [value]: shipped[0][0].toLowerCase(), description: 'd' }), 409, taken(first?.id));
    expectMessage(await operator.patch(`${path}/${id}`, { [value]: shipped[0][0] }), 409, taken(first?.id));
    expectRecord(await operator.patch(`${path}/${id}`, { [value]: 'Own', description: '' }), 200, own);
    expectRecord(await operator.patch(`${path}/${id}`, { [value]: 'OWN' }), 200, { ...own, [value]: 'OWN' });
    expectRecord(await operator.get(`${path}/${id}`), 200, { ...own, [value]: 'OWN' });

    const definition = await make.definition({ [value]: 'own' });
    const used = (doing: string) => `This ${title} is used in an existing Metric Definition, so you cannot ${doing} it.`;
    expectMessage(await operator.patch(`${path}/${id}`, { [value]: shipped[0][0] }), 403, used('update'));
    expectMessage(await operator.delete(`${path}/${id}`), 403, used('delete'));
    await operator.delete(`/metric-definitions/${definition.metric_definition_id}`);
    expectMessage(await operator.delete(`${path}/${id}`), 200, `${title} has been deleted successfully.`);
    expectMessage(await operator.delete(`${path}/${id}`), 404, `There is no ${title} with the following id: ${id}`);

    const fixed = (doing: string) => `You cannot ${doing} a ${title} registered by Accounting Service.`;
    expectMessage(await operator.patch(`${path}/${first?.id}`, { [value]: 'new' }), 403, fixed('update'));
    expectMessage(await operator.delete(`${path}/${first?.id}`), 403, fixed('delete'));
  });

  it.each(['unit', 'metric'])('%s types are checked in the order of the contract', async (kind) => {
    const [path, value, title] = [`/${kind}-types`, `${kind}_type`, kind === 'unit' ? 'Unit Type' : 'Metric Type'];
    const viewer = await scene.caller('viewer', entitlement('viewer', 'operations', 'resources'));
    const outsider = await scene.caller('outsider', entitlement('admin', 'operations'), entitlement('admin', 'elsewhere'));
    expect((await outsider.get(path)).status).toBe(200); // `operations` covers what lies under it
    const stranger = await scene.caller('stranger', entitlement('admin', 'elsewhere'));
    for (const call of [`${path}?size=0`, `${path}/nosuch`]) expectMessage(await stranger.get(call), 403, FORBIDDEN);
    expectMessage(await viewer.patch(`${path}/nosuch`, undefined), 403, FORBIDDEN);
    expectMessage(await scene.admin.post(path, undefined), 400, 'The request body is empty.');
    expectMessage(await scene.admin.post(path, {}), 400, `${value} may not be empty.`);
    expectMessage(await scene.admin.post(path, { [value]: 'TB' }), 400, 'description may not be empty.');
    for (const id of ['nosuch', UNKNOWN_OBJECT_ID]) {
      const message = `There is no ${title} with the following id: ${id}`;
      expectMessage(await viewer.get(`${path}/${id}`), 404, message);
      expectMessage(await scene.admin.patch(`${path}/${id}`, undefined), 404, message);
      expectMessage(await scene.admin.delete(`${path}/${id}`), 404, message);
    }
    const created = await scene.admin.post(path, { [value]: fresh('type'), description: 'd' });
    const { id } = created.json as { id: string };
    expectMessage(await scene.admin.patch(`${path}/${id}`, undefined), 400, 'The request body is empty.');
    await scene.admin.delete(`${path}/${id}`);
  });
});
