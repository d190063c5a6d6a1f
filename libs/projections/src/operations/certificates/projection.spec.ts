import { it } from '@jest/globals';
import { projectionSpec } from '#test/support/projection-spec.js';
import { certificatesProjection } from './projection.js';

const given = projectionSpec(certificatesProjection);

const binding = (bindingId: string, subjectHash: string) => ({ bindingId, projectId: 'p', userId: 'u', subject: 'CN=a', subjectHash });
const bound = (bindingId: string, subjectHash: string) => ({ type: 'CertificateBound', data: binding(bindingId, subjectHash) });
const holder = (bindingId: string) => ({ bindingId, projectId: 'p', userId: 'u' });

it('stores the bindings in force by id and by subject', () => {
  const document = { ...binding('2', 'a'), boundAt: '2024-01-02T03:04:05.678Z' };
  given(bound('1', 'a'), { type: 'CertificateReleased', data: { bindingId: '1' } }, bound('2', 'a')).then({
    bindings: { 2: document },
    'by-subject': { a: holder('2') },
  });
});

it('shows no subject of an erased user', () => {
  const erased = { ...bound('1', 'a'), data: { ...binding('1', 'a'), subject: null } };
  given(erased).then({
    bindings: { 1: { ...binding('1', 'a'), subject: '', boundAt: '2024-01-02T03:04:05.678Z' } },
    'by-subject': { a: holder('1') },
  });
});
