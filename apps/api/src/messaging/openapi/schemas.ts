import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { either } from '#api/shared/openapi/shape.js';
import { SCHEMA } from './components.js';

export const SCHEMAS_ANSWERS: Catalogue = {
  'get /v1/projects/{project}/schemas': {
    answers: {
      200: answer(
        {
          schemas: [
            {
              uuid: 'text',
              name: 'text',
              type: 'text',
              schema: { '*': either('text', ['text'], { id: { type: 'text' }, site: { type: 'text' } }) },
            },
          ],
        },
        { schemas: [{ uuid: '8fccba9e-4218-40d7-acd9-cb130db6837f', name: 'projects/q/schemas/z', type: 'json', schema: {} }] },
      ),
    },
  },
  'post /v1/projects/{project}/schemas/{schema}:validate': {
    answers: { 200: answer({ message: 'text' }, { message: 'Message validated successfully' }) },
    body: { data: 'AmE=' },
  },
  'get /v1/projects/{project}/schemas/{schema}': {
    answers: {
      200: answer(SCHEMA, {
        uuid: '28ceaa98-638e-457a-ab46-092c08160c98',
        name: 'projects/p/schemas/s_30-X',
        type: 'json',
        schema: { properties: { id: { type: 'string' }, site: { type: 'string' } }, required: ['id'], type: 'object' },
      }),
    },
  },
  'post /v1/projects/{project}/schemas/{schema}': {
    answers: {
      200: answer(SCHEMA, {
        uuid: '5dfb4136-9eae-4ac0-83c1-4d80d2cb9924',
        name: 'projects/p/schemas/s_57-X',
        type: 'avro',
        schema: { fields: [{ name: 'site', type: 'string' }], name: 'Sample', namespace: 'demo', type: 'record' },
      }),
    },
    body: { type: 'json', schema: { type: 'object' } },
  },
  'put /v1/projects/{project}/schemas/{schema}': {
    answers: {
      200: answer(SCHEMA, {
        uuid: '9f82d315-8c2a-4267-bbc0-af61efd4d6a0',
        name: 'projects/p/schemas/r',
        type: 'avro',
        schema: { fields: [{ name: 'site', type: 'string' }], name: 'Sample', namespace: 'demo', type: 'record' },
      }),
    },
    body: { name: 'projects/p/schemas/new' },
  },
};
