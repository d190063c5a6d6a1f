import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { TOPIC } from './components.js';

export const TOPICS_ANSWERS: Catalogue = {
  'get /v1/projects/{project}/topics': {
    answers: {
      200: answer(
        { topics: [TOPIC], nextPageToken: 'text', totalSize: 'integer' },
        { topics: [{ name: '/projects/list-topics/topics/n5', created_on: '2026-11-21T08:14:56Z' }], nextPageToken: '', totalSize: 5 },
      ),
    },
  },
  'get /v1/projects/{project}/topics/{topic}': {
    answers: {
      200: answer(TOPIC, { name: '/projects/p/topics/t_38-X', schema: 'projects/p/schemas/new', created_on: '2026-11-21T08:09:41Z' }),
    },
  },
  'put /v1/projects/{project}/topics/{topic}': {
    answers: {
      200: answer(TOPIC, { name: '/projects/p/topics/validated', schema: 'projects/p/schemas/s', created_on: '2026-11-21T08:12:46Z' }),
    },
    body: {},
  },
  'get /v1/projects/{project}/topics/{topic}/subscriptions': {
    answers: { 200: answer({ subscriptions: ['text'] }, { subscriptions: ['/projects/p/subscriptions/t_41-Xb'] }) },
  },
};
