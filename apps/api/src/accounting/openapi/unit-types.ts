import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { UNIT_TYPE } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const UNITTYPES_ANSWERS: Catalogue = {
  'post /accounting-system/unit-types': {
    answers: {
      201: answer(UNIT_TYPE, {
        id: '6b0151fdda8ce56225000012',
        unit_type: 'type-11',
        description: 'd',
        creator_id: 'f7b1c425-78fc-41f0-bd0f-315781e31a86',
      }),
    },
    body: { unit_type: 'Own', description: 'd', id: 'x', creator_id: 'y' },
  },
  'get /accounting-system/unit-types': {
    answers: {
      200: answer(pageOf(UNIT_TYPE), {
        size_of_page: 10,
        number_of_page: 1,
        total_elements: 11,
        total_pages: 2,
        content: [{ id: '52245ba4eeb1c4d9d93a2fd5', unit_type: 'TB', description: 'terabyte', creator_id: '' }],
        links: [{ href: 'http://logbook.example/accounting-system/unit-types?page=1&size=10', rel: 'first' }],
      }),
    },
  },
  'get /accounting-system/unit-types/{id}': {
    answers: { 200: answer(UNIT_TYPE, { id: '6b0151fdda8ce5622500000a', unit_type: 'OWN', description: 'd', creator_id: 'operator' }) },
  },
  'patch /accounting-system/unit-types/{id}': {
    answers: { 200: answer(UNIT_TYPE, { id: '6b0151fdda8ce5622500000a', unit_type: 'Own', description: 'd', creator_id: 'operator' }) },
    body: { unit_type: 'Own', description: '' },
  },
  'delete /accounting-system/unit-types/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Unit Type has been deleted successfully.' }) },
  },
};
