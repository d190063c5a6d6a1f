import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { RECOMPUTATION } from './components.js';
import { MESSAGE, one, REFERENCE } from './envelopes.js';

export const RECOMPUTATIONS_ANSWERS: Catalogue = {
  'get /api/v2/recomputations': {
    answers: {
      200: answer(
        { status: { message: 'text', code: 'text' }, data: [RECOMPUTATION], root: [RECOMPUTATION] },
        {
          status: { message: 'Success', code: '200' },
          data: [
            {
              id: 'd2a6415c-0fe2-45c0-b7a3-45e4f2c4293e',
              requester_name: 'Ann <a>',
              requester_email: 'ann@example.org',
              reason: 'power & cut',
              start_time: '2015-01-10T12:00:00Z',
              end_time: '2015-01-30T23:00:00Z',
              report: 'Critical',
              exclude: ['SITE-A'],
              status: 'pending',
              timestamp: '2026-11-21T07:57:49Z',
              history: [{ status: 'pending', timestamp: '2026-11-21T07:57:49Z' }],
            },
          ],
          root: [
            {
              id: 'd2a6415c-0fe2-45c0-b7a3-45e4f2c4293e',
              requester_name: 'Ann <a>',
              requester_email: 'ann@example.org',
              reason: 'power & cut',
              start_time: '2015-01-10T12:00:00Z',
              end_time: '2015-01-30T23:00:00Z',
              report: 'Critical',
              exclude: ['SITE-A'],
              status: 'pending',
              timestamp: '2026-11-21T07:57:49Z',
              history: [{ status: 'pending', timestamp: '2026-11-21T07:57:49Z' }],
            },
          ],
        },
      ),
    },
  },
  'post /api/v2/recomputations': {
    answers: {
      201: answer(REFERENCE, {
        status: { message: 'Recomputations successfully created', code: '201' },
        data: {
          id: '0036d904-ca3a-4374-9658-04c4d5bd95ce',
          links: { self: 'http://127.0.0.1:45669/api/v2/recomputations/0036d904-ca3a-4374-9658-04c4d5bd95ce' },
        },
      }),
    },
    body: {
      requester_name: 'Ann',
      requester_email: 'ann@example.org',
      reason: 'power cut',
      start_time: '2015-01-10T06:00:00Z',
      end_time: '2015-01-10T07:00:00Z',
      report: 'Small',
      exclude: ['SITE-A'],
    },
  },
  'get /api/v2/recomputations/{id}': {
    answers: {
      200: answer(one(RECOMPUTATION), {
        status: { message: 'Success', code: '200' },
        data: {
          id: 'cfc3f374-c935-4993-b5bb-e6bfc141d62b',
          requester_name: 'Ann <a>',
          requester_email: 'ann@example.org',
          reason: 'power & cut',
          start_time: '2015-01-10T12:00:00Z',
          end_time: '2015-01-30T23:00:00Z',
          report: 'Critical',
          exclude: ['SITE-A'],
          status: 'pending',
          timestamp: '2026-11-21T07:57:54Z',
          history: [{ status: 'pending', timestamp: '2026-11-21T07:57:53Z' }],
          exclude_metrics: [{ metric: 'm', hostname: 'h', service: 's', group: 'g' }],
          exclude_monitoring_source: [{ host: 'mon', start_time: '2015-01-10T12:00:00Z', end_time: '' }],
          applied_status_changes: [{ metric: 'm', hostname: 'h', service: 's', group: 'g', state: 'OK' }],
        },
      }),
    },
  },
  'put /api/v2/recomputations/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Recomputation updated successfully', code: '200' } }) },
    body: {
      requester_name: 'Ann',
      requester_email: 'ann@example.org',
      reason: 'power cut',
      start_time: '2015-01-10T06:00:00Z',
      end_time: '2015-01-10T07:00:00Z',
      report: 'Small',
      exclude: [],
    },
  },
  'delete /api/v2/recomputations/{id}': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Recomputation Successfully Deleted', code: '200' } }) },
  },
  'post /api/v2/recomputations/{id}/status': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Recomputation status updated successfully to: approved', code: '200' } }) },
    body: { status: 'approved' },
  },
  'delete /api/v2/recomputations/{id}/status': {
    answers: { 200: answer(MESSAGE, { status: { message: 'Recomputation status reset successfully to: pending', code: '200' } }) },
  },
};
