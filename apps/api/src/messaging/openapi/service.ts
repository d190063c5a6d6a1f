import { answer, type Catalogue } from '#api/shared/openapi/described.js';

export const SERVICE_ANSWERS: Catalogue = {
  'get /v1/status': {
    answers: {
      200: answer(
        { status: 'text', 'push_servers?': [{ endpoint: 'text', status: 'text' }], 'push_functionality?': 'text' },
        { status: 'warning', push_servers: [{ endpoint: '127.0.0.1:34905', status: 'Push server is currently unavailable' }] },
      ),
    },
  },
};
