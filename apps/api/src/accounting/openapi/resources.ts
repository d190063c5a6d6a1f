import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const RESOURCES_ANSWERS: Catalogue = {
  'get /accounting-system/resources': {
    answers: {
      200: answer(pageOf({ id: 'text', name: 'text' }), {
        size_of_page: 1,
        number_of_page: 2,
        total_elements: 2,
        total_pages: 2,
        content: [{ id: 'resource-23', name: 'n' }],
        links: [{ href: 'http://logbook.example/accounting-system/resources?page=1&size=1', rel: 'first' }],
      }),
    },
  },
  'post /accounting-system/admin/resources': {
    answers: { 201: answer({ id: 'text', name: 'text' }, { id: 'the resource', name: 'name of the resource' }) },
    body: { id: 'disk', name: 'name of disk' },
  },
  'delete /accounting-system/admin/resources/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Resource deleted successfully.' }) },
  },
};
