import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { MEMBERSHIP } from './components.js';

export const PROJECTS_ANSWERS: Catalogue = {
  'get /v1/projects': {
    answers: { 200: answer({ 'projects?': [MEMBERSHIP] }, {}) },
  },
  'get /v1/projects/{project}': {
    answers: {
      200: answer(MEMBERSHIP, {
        name: 'first',
        created_on: '2026-11-21T08:15:21Z',
        modified_on: '2026-11-21T08:15:21Z',
        created_by: 'boss',
        description: 'a <b> & c',
      }),
    },
  },
  'post /v1/projects/{project}': {
    answers: {
      200: answer(MEMBERSHIP, {
        name: 'first',
        created_on: '2026-11-21T08:15:21Z',
        modified_on: '2026-11-21T08:15:21Z',
        created_by: 'boss',
        description: 'a <b> & c',
      }),
    },
    body: {},
  },
  'put /v1/projects/{project}': {
    answers: {
      200: answer(MEMBERSHIP, {
        name: 'z-P_16-x',
        created_on: '2026-11-21T08:15:23Z',
        modified_on: '2026-11-21T08:15:23Z',
        created_by: 'boss',
        description: 'listed',
      }),
    },
    body: { name: 'after' },
  },
};
