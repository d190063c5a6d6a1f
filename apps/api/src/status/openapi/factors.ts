import { answer, type Catalogue } from '#api/shared/openapi/described.js';

export const FACTORS_ANSWERS: Catalogue = {
  'get /api/v2/factors': {
    answers: { 200: answer({ factors: [{ site: 'text', weight: 'text' }] }, { factors: [{ site: 'A', weight: '1000000' }] }) },
  },
};
