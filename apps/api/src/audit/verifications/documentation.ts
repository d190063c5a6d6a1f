import { headed, shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { bounded, doc, nullable, oneOf } from '#domain/shared/shape.js';

const PROBLEM = headed('the first one in log order', {
  'index?': 'integer',
  'position?': nullable('text'),
  'kind?': oneOf('altered', 'missing', 'inserted', 'reordered', 'unreadable', 'signature', 'anchor'),
  'detail?': 'text',
});

const ONE = shownInside(
  'AuditVerification',
  {
    id: 'text',
    state: oneOf('running', 'done', 'failed', 'cancelled'),
    startedAt: 'instant',
    endedAt: nullable('instant'),
    failure: nullable({ 'message?': 'text' }),
    processed: doc('integer', 'leaves that have been compared'),
    total: 'integer',
    verifiedTo: doc('integer', 'size of the tree of `root`'),
    root: doc(nullable('text'), 'lower-case hex'),
    expired: doc('integer', 'events that retention has removed'),
    intact: doc(nullable('flag'), 'null while nothing is known'),
    problem: nullable(PROBLEM),
  },
  {
    id: '4b0c52a3-7f0d-4f59-8f0a-3a2b0b8f2f11',
    state: 'done',
    startedAt: '2026-03-01T12:00:00.000Z',
    endedAt: '2026-03-01T12:00:40.000Z',
    failure: null,
    processed: 81_234,
    total: 81_234,
    verifiedTo: 81_234,
    root: '6b2f0c0b9a4c0f5a3d0f7f1b5f3a1d2c4e5f60718293a4b5c6d7e8f901234567',
    expired: 1_200,
    intact: false,
    problem: { index: 4_711, position: '5022', kind: 'altered', detail: 'leaf 4711: its event is not what it was when it was chained' },
  },
);

export const VERIFICATION = shaped('the verification', ONE);
export const VERIFICATIONS = shaped('verifications', { 'items?': [ONE] });
export const ACCEPTED = shaped('where the verification is found', {
  'id?': 'text',
  'href?': bounded('text', { example: '/audit/verifications/4b0c52a3' }),
});
