import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { MESSAGE } from './envelopes.js';

export const PUSHLISTENER_ANSWERS: Catalogue = {
  'post /accounting-system/ams-listener': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Unknown service catalogue status : toString' }) },
    body: {
      message: {
        attributes: {},
        data: 'eyJzdGF0dXMiOiJhcHByb3ZlZCBwcm92aWRlciIsInByb3ZpZGVyIjp7ImlkIjoiZW9zYy5uZXciLCJuYW1lIjoiTmV3IiwiYWJicmV2aWF0aW9uIjoiTiIsImxvZ28iOiJsIiwid2Vic2l0ZSI6IncifX0=',
        messageId: '1',
      },
      subscription: 's',
    },
  },
};
