import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { VERSION } from './components.js';

export const SERVICE_ANSWERS: Catalogue = {
  'get /v1/status': {
    answers: {
      200: answer(
        { status: 'text', 'push_servers?': [{ endpoint: 'text', status: 'text' }], 'push_functionality?': 'text' },
        { status: 'warning', push_servers: [{ endpoint: '127.0.0.1:34905', status: 'Push server is currently unavailable' }] },
      ),
    },
  },
  'get /v1/version': {
    answers: {
      200: answer(VERSION, {
        build_time: '2026-11-21T07:52:56Z',
        golang: 'v20.20.2',
        compiler: 'node',
        os: 'linux',
        architecture: 'x64',
        release: '0.1.0',
      }),
    },
  },
};
