import { expect, it } from '@jest/globals';
import { NoticePublisher } from './notice-publisher.js';

it.each([
  ['p', 'Topic alerts does not exist'],
  ['deleted', 'Its project was deleted'],
])('Notices say why they cannot be published: of the project %s', async (projectId, problem) => {
  const publisher = new NoticePublisher(
    {} as never,
    {} as never,
    { project: async (id: string) => (id === 'p' ? { name: 'p' } : undefined) } as never,
    { topic: async () => undefined } as never,
    { tenant: async () => ({ info: { name: 't' } }) } as never,
    { pending: async () => [{}] } as never,
    Date.now,
  );
  await expect(publisher.publish('t', { projectId, topic: 'alerts' } as never)).rejects.toThrow(problem);
});
