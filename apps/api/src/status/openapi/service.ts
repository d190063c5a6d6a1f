import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { VERSION } from './components.js';

export const SERVICE_ANSWERS: Catalogue = {
  'get /api/v2/version': {
    answers: {
      200: answer(VERSION, {
        release: '0.1.0',
        commit: '',
        build_time: '2026-11-21T07:52:56Z',
        golang: 'v20.20.2',
        compiler: 'node',
        os: 'linux',
        architecture: 'x64',
      }),
    },
  },
};
