import { answer, type Catalogue } from '#api/shared/openapi/described.js';

export const MESSAGES_ANSWERS: Catalogue = {
  'post /v1/projects/{project}/topics/{topic}:publish': {
    answers: { 200: answer({ messageIds: ['text'] }, { messageIds: ['0'] }) },
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
              ackId: 'projects/alerts/subscriptions/inbox:0',
              message: {
                messageId: '0',
                attributes: { level: 'group', type: 'status-change' },
                data: 'eyJ0ZW5hbnQiOiJ0ZW5hbnQtMSIsInJlcG9ydCI6IkxpdmUiLCJsZXZlbCI6Imdyb3VwIiwiZ3JvdXAiOiJTSVRFLUEiLCJzdGF0dXMiOiJDUklUSUNBTCIsInNpbmNlIjoiMjAyNi0xMS0yMVQwODowODoyN1oiLCJwcmV2aW91cyI6Ik9LIiwiY2F1c2UiOnsidHlwZSI6ImVuZHBvaW50Iiwic2VydmljZSI6IndlYiIsImhvc3RuYW1lIjoiaDEuZXhhbXBsZS5vcmciLCJjYXVzZSI6eyJ0eXBlIjoibWV0cmljIiwibWV0cmljIjoiaHR0cCIsInN0YXR1cyI6IkNSSVRJQ0FMIiwidGltZXN0YW1wIjoiMjAyNi0xMS0yMVQwODowODoyN1oifX19',
                publishTime: '2026-11-21T08:08:29.4Z',
              },
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
