import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { CONSISTENCY, CONSISTENCY_ACKNOWLEDGED, CONSISTENCY_BRIEF } from './components.js';

export const HEALTH_ANSWERS: Catalogue = {
  'get /api/v2/health': {
    answers: { 200: answer(CONSISTENCY_BRIEF, { status: 'CRITICAL', timestamp: '2026-11-21T07:53:29Z', message: 'no data' }) },
  },
  'get /api/v3/health': {
    answers: { 200: answer(CONSISTENCY_BRIEF, { status: 'CRITICAL', timestamp: '2026-11-21T07:53:29Z', message: 'no data' }) },
  },
  'get /api/v2/consistency': {
    answers: {
      200: answer(CONSISTENCY, {
        status: 'CRITICAL',
        timestamp: '2026-11-21T07:53:29Z',
        message: 'no data',
        auto_check_status: 'CRITICAL',
        auto_check_mesage: 'no data',
        auto_check_message: 'no data',
        auto_check_timestamp: '2026-11-21T07:53:29Z',
      }),
    },
  },
  'get /api/v3/consistency': {
    answers: {
      200: answer(CONSISTENCY_ACKNOWLEDGED, {
        status: 'OK',
        timestamp: '2026-11-21T07:53:29Z',
        message: 'known',
        auto_check_status: 'CRITICAL',
        auto_check_mesage: 'no data',
        auto_check_message: 'no data',
        auto_check_timestamp: '2026-11-21T07:53:29Z',
        ack_status: 'OK',
        ack_message: 'known',
        ack_timestamp: '2026-11-21T07:53:29Z',
        ack_timeout_hours: 6,
      }),
    },
  },
  'post /api/v2/consistency/auto-check': {
    answers: { 200: answer({ message: 'text', code: 'integer' }, { message: 'The Auto Check event was posted succesfully', code: 200 }) },
    body: { status: 'CRITICAL', message: 'no data' },
  },
  'post /api/v3/consistency/auto-check': {
    answers: { 200: answer({ message: 'text', code: 'integer' }, { message: 'The Auto Check event was posted succesfully', code: 200 }) },
    body: { status: 'CRITICAL', message: 'no data' },
  },
  'post /api/v2/consistency/ack': {
    answers: { 200: answer({ message: 'text', code: 'integer' }, { message: 'The Ack event was posted succesfully', code: 200 }) },
    body: { status: 'OK', message: '' },
  },
  'post /api/v3/consistency/ack': {
    answers: { 200: answer({ message: 'text', code: 'integer' }, { message: 'The Ack event was posted succesfully', code: 200 }) },
    body: { status: 'OK', message: 'known and harmless', timeout_hours: 6 },
  },
};
