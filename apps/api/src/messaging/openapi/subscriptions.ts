import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { SUBSCRIPTION, SUBSCRIPTION2 } from './components.js';

export const SUBSCRIPTIONS_ANSWERS: Catalogue = {
  'get /v1/projects/{project}/subscriptions': {
    answers: {
      200: answer(
        { subscriptions: [SUBSCRIPTION], nextPageToken: 'text', totalSize: 'integer' },
        {
          subscriptions: [
            {
              name: '/projects/list-subscriptions/subscriptions/n5',
              topic: '/projects/list-subscriptions/topics/t',
              pushConfig: {
                type: '',
                pushEndpoint: '',
                maxMessages: 0,
                authorizationHeader: {},
                retryPolicy: {},
                verificationHash: '',
                verified: false,
                mattermostUrl: '',
                mattermostUsername: '',
                mattermostChannel: '',
                base64Decode: false,
              },
              ackDeadlineSeconds: 10,
              createdOn: '2026-11-21T08:14:59Z',
            },
          ],
          nextPageToken: 'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAz',
          totalSize: 5,
        },
      ),
    },
  },
  'get /v1/projects/{project}/subscriptions/{subscription}:offsets': {
    answers: { 200: answer({ max: 'integer', min: 'integer', current: 'integer' }, { max: 10000, min: 0, current: 0 }) },
  },
  'get /v1/projects/{project}/subscriptions/{subscription}': {
    answers: {
      200: answer(SUBSCRIPTION2, {
        name: '/projects/p/subscriptions/anew',
        topic: '/projects/p/topics/anew',
        pushConfig: {
          type: 'http_endpoint',
          pushEndpoint: 'http://127.0.0.1:34679',
          maxMessages: 1,
          authorizationHeader: { type: 'autogen', value: '96c21b190e31657a6e7a15bcb570c5a541e15cf37e44a8edb67bc6bcc9c7d92a' },
          retryPolicy: { type: 'linear', period: 20 },
          verificationHash: 'bc6ff64b5958696701f579f7c757b2452ee8b7612f6a40f306d4df93237b6fc2',
          verified: true,
          mattermostUrl: '',
          mattermostUsername: '',
          mattermostChannel: '',
          base64Decode: false,
        },
        ackDeadlineSeconds: 10,
        pushStatus: "2026-11-21T08:08:15 - Could not consume message, Subscription's topic doesn't exist",
        createdOn: '2026-11-21T08:08:12Z',
      }),
    },
  },
  'put /v1/projects/{project}/subscriptions/{subscription}': {
    answers: {
      200: answer(SUBSCRIPTION, {
        name: '/projects/p/subscriptions/n4',
        topic: '/projects/p/topics/t',
        pushConfig: {
          type: 'http_endpoint',
          pushEndpoint: 'https://receiver.example.org:8443/in?a=1',
          maxMessages: 25,
          authorizationHeader: { type: 'autogen', value: 'f252fd81fb4052b1c1231923230b33a7649c50f548db75cb4a95c5a69a673699' },
          retryPolicy: { type: 'linear', period: 3000 },
          verificationHash: '897a182d7fa45aca4bdce65124ca56e66225244b18040ab178256d16c3ac6bab',
          verified: false,
          mattermostUrl: '',
          mattermostUsername: '',
          mattermostChannel: '',
          base64Decode: false,
        },
        ackDeadlineSeconds: 10,
        createdOn: '2026-11-21T08:13:42Z',
      }),
    },
    body: { topic: 'projects/monitoring/topics/metric_data' },
  },
  'delete /v1/projects/{project}/subscriptions/{subscription}': {
    answers: { 200: answer({ message: 'text' }, { message: 'Subscription /projects/p/subscriptions/s10 deactivated' }) },
  },
};
