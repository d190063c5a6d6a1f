import { answer, type Catalogue } from '#api/shared/openapi/described.js';

export const MESSAGES_ANSWERS: Catalogue = {
  'post /v1/projects/{project}/topics/{topic}:publish': {
    answers: { 200: answer({ messageIds: ['text'] }, { messageIds: ['120'] }) },
    body: {
      messages: [
        {
          data: 'W3sidGltZXN0YW1wIjoiMjAxNS0wNS0wMVQyMDowMDowMFoiLCJyZXBvcnQiOiIyMWNlYmE4Yi03MzRiLTQyMTgtODQ3NS01N2NhNDY1M2I5Y2UiLCJlbmRwb2ludF9ncm91cCI6IlNJVEUtQSIsInNlcnZpY2UiOiJDRSIsImhvc3QiOiJoMSIsIm1ldHJpYyI6Im9uY2UiLCJzdGF0dXMiOiJPSyJ9XQ==',
        },
      ],
    },
  },
  'post /v1/projects/{project}/subscriptions/{subscription}:pull': {
    answers: {
      200: answer(
        {
          receivedMessages: [
            { ackId: 'text', message: { messageId: 'text', 'attributes?': { '*': 'text' }, data: 'text', publishTime: 'instant' } },
          ],
        },
        {
          receivedMessages: [
            {
              ackId: 'projects/p/subscriptions/crowd:0',
              message: { messageId: '0', data: 'MA==', publishTime: '2026-11-21T08:19:14.343Z' },
            },
          ],
        },
      ),
    },
    body: { maxMessages: '9' },
  },
  'post /v1/projects/{project}/subscriptions/{subscription}:acknowledge': {
    answers: { 200: answer({ '*': 'any' }, {}) },
    body: { ackIds: ['projects/alerts/subscriptions/inbox:1'] },
  },
};
