import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createProject,
  type ErrorLine,
  expectBody,
  expectEmpty,
  expectError,
  INSTANT,
  inProject,
  type ProjectCalls,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { expectRecent } from '#test/e2e/this-suite.js';
import { deployments, embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const jc = JSON.stringify;
const MISSING: ErrorLine = "NOT_FOUND: Topic doesn't exist";
const NO_SCHEMA: ErrorLine = "NOT_FOUND: Schema doesn't exist";
const BAD_BODY: ErrorLine = 'BAD_REQUEST: Invalid Request Body';
const BAD_REFERENCE: ErrorLine = 'INVALID_ARGUMENT: wrong schema name declaration';

/** Neither JSON nor an object whose values are all texts. */
const MALFORMED = [' ', '{"schema":5}', '{"other":1}'];
/** No references to a schema of project `p`. */
const REFERENCES = ['s', '/projects/p/schemas/s', 'projects/p/topics/s'];

describe('topics', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  let number = 0;
  const fresh = () => `t_${++number}-X`;
  const view = (name: string, answer: Answer, schema?: string, project = 'p') => ({
    name: `/projects/${project}/topics/${name}`,
    ...(schema === undefined ? {} : { schema: `projects/${project}/schemas/${schema}` }),
    created_on: (answer.json as { created_on: string }).created_on,
  });

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await createProject(scene, 'q');
    await p.schema('s');
    await p.schema('r');
  });

  it.each([undefined, '{}', '{"schema":""}', '{"schema":null}', 'null', '{"other":"x"}'])('are created with body %s', async (body) => {
    const name = fresh();
    const created = await p.put(`/topics/${name}`, body);
    expectBody(created, view(name, created));
    const { created_on } = created.json as { created_on: string };
    expect(created_on).toMatch(INSTANT);
    expectRecent(created_on);
    expectBody(await p.get(`/topics/${name}`), view(name, created));
  });

  it.each(['schema', 'SCHEMA'])('are created with a schema in member %s', async (member) => {
    const name = fresh();
    const created = await p.put(`/topics/${name}`, { [member]: 'projects/p/schemas/s', other: 'x' });
    expectBody(created, view(name, created, 's'));
    expectBody(await p.get(`/topics/${name}`), view(name, created, 's'));
  });

  it('are created whatever the content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'garbage']) {
      const answer = await p.call('PUT', `/topics/${fresh()}`, '{"schema":"projects/p/schemas/s"}', { headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
    }
  });

  it.each(MALFORMED)('are not created with the malformed body %s, whatever else is wrong', async (body) => {
    const name = fresh();
    await p.topic(name);
    expectError(await p.put(`/topics/${name}`, body), BAD_BODY);
    expectError(await p.put(`/topics/${fresh()}`, body), BAD_BODY);
  });

  it.each(REFERENCES)('are not created with the schema reference %s', async (schema) => {
    const name = fresh();
    await p.topic(name);
    expectError(await p.put(`/topics/${name}`, { schema }), BAD_REFERENCE);
  });

  it('are not created with an unknown schema, nor a second time, which is checked last', async () => {
    const name = fresh();
    for (const none of ['none', '']) expectError(await p.put(`/topics/${name}`, { schema: `projects/p/schemas/${none}` }), NO_SCHEMA);
    expectError(await p.get(`/topics/${name}`), MISSING);
    await p.topic(name);
    expectError(await p.put(`/topics/${name}`, { schema: 'projects/p/schemas/none' }), NO_SCHEMA);
    expectError(await p.put(`/topics/${name}`), 'ALREADY_EXISTS: Topic already exists');
    expectError(await p.put(`/topics/${name}`, { schema: 'projects/p/schemas/s' }), 'ALREADY_EXISTS: Topic already exists');
  });

  it('are created by one of many calls for the same name at once', async () => {
    const name = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => p.put(`/topics/${name}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    const created = answers.find(({ status }) => status === 200);
    expectBody(await p.get(`/topics/${name}`), created?.json);
  });

  it('may have the same name in several projects, and names of any length', async () => {
    const [name, long] = [fresh(), 'N'.repeat(5_000)];
    await p.topic(name);
    const q = inProject(scene, 'q');
    expectError(await q.get(`/topics/${name}`), MISSING);
    expectBody(await q.put(`/topics/${name}`), view(name, await q.get(`/topics/${name}`), undefined, 'q'));
    expectBody(await p.put(`/topics/${long}`), view(long, await p.get(`/topics/${long}`)));
    expectError(await p.get(`/topics/${long}N`), MISSING);
  });

  it.each(['a.b', 'ä', ' ', 'a b', '%', 'a:b', 'a:publishx', ':acl'])('cannot be called %j', async (name) => {
    const path = `/topics/${encodeURIComponent(name)}`;
    expectError(await p.get(path), 'INVALID_ARGUMENT: Invalid topic name');
    expectError(await p.put(path, '{'), 'INVALID_ARGUMENT: Invalid topic name');
  });

  it('are deleted once; the name is free for another one then', async () => {
    const name = fresh();
    await p.topic(name, 'projects/p/schemas/s');
    expectEmpty(await p.delete(`/topics/${name}`));
    expectError(await p.delete(`/topics/${name}`), MISSING);
    expectError(await p.get(`/topics/${name}`), MISSING);
    const created = await p.put(`/topics/${name}`);
    expectBody(created, view(name, created));
  });

  describe('and schemas', () => {
    const schemaOf = async (name: string) => ((await p.get(`/topics/${name}`)).json as { schema?: string }).schema;

    it('are attached in place of each other, and detached', async () => {
      const name = fresh();
      await p.topic(name);
      for (const schema of ['s', 's', 'r']) {
        expectEmpty(await p.post(`/topics/${name}:attachSchema`, { schema: `projects/p/schemas/${schema}` }));
        expect(await schemaOf(name)).toBe(`projects/p/schemas/${schema}`);
      }
      for (const body of [undefined, 'whatever']) {
        expectEmpty(await p.post(`/topics/${name}:detachSchema`, body));
        expect(await schemaOf(name)).toBeUndefined();
      }
    });

    it.each(REFERENCES)('are not attached by the reference %s', async (schema) => {
      const name = fresh();
      await p.topic(name, 'projects/p/schemas/s');
      expectError(await p.post(`/topics/${name}:attachSchema`, { schema }), BAD_REFERENCE);
      expect(await schemaOf(name)).toBe('projects/p/schemas/s');
    });

    it.each(['', '{}', 'null', '{"schema":""}', '{"other":"x"}'])('are detached by %j, as in the original', async (body) => {
      const name = fresh();
      await p.topic(name, 'projects/p/schemas/s');
      for (let time = 0; time < 2; time++) expectEmpty(await p.post(`/topics/${name}:attachSchema`, body));
      expect(await schemaOf(name)).toBeUndefined();
      expectError(await p.post('/topics/none:attachSchema', body), MISSING);
    });

    it('are those of the project of the path, whatever project a reference names', async () => {
      const name = fresh();
      await p.topic(name);
      expectEmpty(await p.post(`/topics/${name}:attachSchema`, { schema: 'projects/q/schemas/s' }));
      expect(await schemaOf(name)).toBe('projects/p/schemas/s');
      const other = fresh();
      expect((await p.put(`/topics/${other}`, { schema: 'projects/nowhere/schemas/s' })).json).toMatchObject({
        schema: 'projects/p/schemas/s',
      });
    });

    it.each(MALFORMED)('are not attached by the malformed body %s', async (body) => {
      const name = fresh();
      await p.topic(name);
      expectError(await p.post(`/topics/${name}:attachSchema`, body), BAD_BODY);
    });

    it('are refused for an unknown topic first, then for the body, then for an unknown schema', async () => {
      const name = fresh();
      for (const body of ['{', '{"schema":"x"}', '{"schema":"projects/p/schemas/none"}'])
        expectError(await p.post(`/topics/${name}:attachSchema`, body), MISSING);
      expectError(await p.post(`/topics/${name}:detachSchema`, '{'), MISSING);
      await p.topic(name);
      expectError(await p.post(`/topics/${name}:attachSchema`, '{"schema":"projects/p/schemas/none"}'), NO_SCHEMA);
    });

    it('follow a schema that is renamed, and lose one that is deleted', async () => {
      const [name, other] = [fresh(), fresh()];
      await p.schema('old');
      for (const topic of [name, other]) await p.topic(topic, 'projects/p/schemas/old');
      await p.put('/schemas/old', { name: 'projects/p/schemas/new' });
      for (const topic of [name, other]) expect(await schemaOf(topic)).toBe('projects/p/schemas/new');
      const listed = async () =>
        ((await p.get('/topics')).json as { topics: { name: string; schema?: string }[] }).topics.find((topic) =>
          topic.name.endsWith(name),
        );
      expect((await listed())?.schema).toBe('projects/p/schemas/new');
      expectEmpty(await p.delete('/schemas/new'));
      for (const topic of [name, other]) expect(await schemaOf(topic)).toBeUndefined();
      expect(await listed()).not.toHaveProperty('schema');
      await p.schema('new');
      expect(await schemaOf(name)).toBeUndefined();
    });

    it('are attached once for each Idempotency-Key', async () => {
      const name = fresh();
      await p.topic(name);
      const headers = { 'idempotency-key': `attach ${name}` };
      const attach = (schema: string) => p.post(`/topics/${name}:attachSchema`, { schema: `projects/p/schemas/${schema}` }, headers);
      expectEmpty(await attach('s'));
      await p.post(`/topics/${name}:detachSchema`);
      expectEmpty(await attach('s'));
      expect(await schemaOf(name)).toBeUndefined();
      expect((await attach('r')).status).toBe(422);
    });
  });

  it('list their subscriptions in the order of creation', async () => {
    const name = fresh();
    expectError(await p.get(`/topics/${name}/subscriptions`), MISSING);
    await p.topic(name);
    expectBody(await p.get(`/topics/${name}/subscriptions`), { subscriptions: [] }, jc);
    for (const subscription of ['b', 'c', 'a']) await p.subscription(`${name}${subscription}`, name);
    const all = (...names: string[]) => ({ subscriptions: names.map((one) => `/projects/p/subscriptions/${name}${one}`) });
    expectBody(await p.get(`/topics/${name}/subscriptions`), all('b', 'c', 'a'), jc);
    await p.delete(`/subscriptions/${name}c`);
    expectBody(await p.get(`/topics/${name}/subscriptions`), all('b', 'a'), jc);
    await p.delete(`/topics/${name}`);
    expectError(await p.get(`/topics/${name}/subscriptions`), MISSING);
    await p.topic(name);
    expectBody(await p.get(`/topics/${name}/subscriptions`), all('b', 'a'), jc);
  });

  it('are deleted with their project, and do not come back with another project of the same name', async () => {
    const gone = await createProject(scene, 'gone');
    await gone.topic('t');
    await gone.subscription('s', 't');
    await gone.delete('');
    expectError(await gone.get('/topics/t'), "NOT_FOUND: project doesn't exist");
    await createProject(scene, 'gone');
    expectBody(await gone.get('/topics'), { topics: [], nextPageToken: '', totalSize: 0 });
    expectBody(await gone.get('/subscriptions'), { subscriptions: [], nextPageToken: '', totalSize: 0 });
    expectError(await gone.get('/topics/t'), MISSING);
  });

  it('show the current name of their project', async () => {
    const before = await createProject(scene, 'before');
    const created = await before.put('/topics/t');
    await before.subscription('s', 't');
    await before.put('', { name: 'after' });
    const after = inProject(scene, 'after');
    expectBody(await after.get('/topics/t'), view('t', created, undefined, 'after'));
    expect((await after.get('/subscriptions/s')).json).toMatchObject({
      name: '/projects/after/subscriptions/s',
      topic: '/projects/after/topics/t',
    });
  });
});

describe.each(deployments)('a topic on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);

  it('is created, seen, used and deleted; a restart changes nothing', async () => {
    const p = await createProject(scene, 'p');
    await p.member('reader', 'publisher');
    const created = await p.topic('t');
    const subscribed = await p.subscription('s', 't');
    expectEmpty(await p.post('/topics/t:modifyAcl', { authorized_users: ['reader'] }));
    expect(await scene.restart()).toBe(0);
    expectBody(await p.get('/topics/t'), created.json);
    expectBody(await p.get('/topics/t:acl'), { authorized_users: ['reader'] });
    expectBody(await p.get('/subscriptions/s'), subscribed.json);
    expectError(await p.put('/topics/t'), 'ALREADY_EXISTS: Topic already exists');
    expectEmpty(await p.delete('/topics/t'));
    expectError(await p.get('/topics/t'), MISSING);
    expectBody(await p.get('/subscriptions/s'), subscribed.json);
  });
});
