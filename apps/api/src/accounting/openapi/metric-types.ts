import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { METRIC_TYPE } from './components.js';
import { MESSAGE, pageOf } from './envelopes.js';

export const METRICTYPES_ANSWERS: Catalogue = {
  'post /accounting-system/metric-types': {
    answers: {
      201: answer(METRIC_TYPE, {
        id: '6b0151feda8ce56225000013',
        metric_type: 'type-12',
        description: 'd',
        creator_id: 'f7b1c425-78fc-41f0-bd0f-315781e31a86',
      }),
    },
    body: { metric_type: 'Own', description: 'd', id: 'x', creator_id: 'y' },
  },
  'get /accounting-system/metric-types': {
    answers: {
      200: answer(pageOf(METRIC_TYPE), {
        size_of_page: 2,
        number_of_page: 2,
        total_elements: 5,
        total_pages: 2,
        content: [
          {
            id: '9ffb5a482245dd914fc89bed',
            metric_type: 'averaged',
            description: 'The average of the values captured in one time interval',
            creator_id: '',
          },
        ],
        links: [{ href: 'http://logbook.example/accounting-system/metric-types?page=1&size=3', rel: 'first' }],
      }),
    },
  },
  'get /accounting-system/metric-types/{id}': {
    answers: {
      200: answer(METRIC_TYPE, {
        id: '8e507a2d00fb5c696a0c72bb',
        metric_type: 'aggregated',
        description: 'The sum of all values captured over the aggregation interval',
        creator_id: '',
      }),
    },
  },
  'patch /accounting-system/metric-types/{id}': {
    answers: { 200: answer(METRIC_TYPE, { id: '6b0151fdda8ce5622500000e', metric_type: 'Own', description: 'd', creator_id: 'operator' }) },
    body: { metric_type: 'Own', description: '' },
  },
  'delete /accounting-system/metric-types/{id}': {
    answers: { 200: answer(MESSAGE, { code: 200, message: 'Metric Type has been deleted successfully.' }) },
  },
};
