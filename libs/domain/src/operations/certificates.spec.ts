import { it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { certificates, MOST_CERTIFICATES } from './certificates.js';

const given = deciderSpec(certificates);
const binding = (bindingId: string, subjectHash = `hash ${bindingId}`) => ({
  bindingId,
  projectId: 'p',
  userId: 'u',
  subject: 'CN=a',
  subjectHash,
});
const bound = (bindingId: string, subjectHash?: string) => ({ type: 'CertificateBound', data: binding(bindingId, subjectHash) }) as const;
const released = (bindingId: string) => ({ type: 'CertificateReleased', data: { bindingId } }) as const;

it('binds a subject once at a time', () => {
  given(bound('1'))
    .when({ type: 'BindCertificate', binding: binding('2') })
    .then(bound('2'));
  given(bound('1'))
    .when({ type: 'BindCertificate', binding: binding('2', 'hash 1') })
    .thenRejected('CERTIFICATE_BOUND');
  given(bound('1'), released('1'))
    .when({ type: 'BindCertificate', binding: binding('2', 'hash 1') })
    .then(bound('2', 'hash 1'));
});

it('releases bindings in force', () => {
  given(bound('1')).when({ type: 'ReleaseCertificate', bindingId: '1' }).then(released('1'));
  given(bound('1'), released('1')).when({ type: 'ReleaseCertificate', bindingId: '1' }).thenRejected('CERTIFICATE_NOT_FOUND');
});

it('is bounded', () => {
  const many = Array.from({ length: MOST_CERTIFICATES }, (_, index) => bound(`${index}`));
  given(...many)
    .when({ type: 'BindCertificate', binding: binding('more') })
    .thenRejected('TOO_MANY_CERTIFICATES');
});
