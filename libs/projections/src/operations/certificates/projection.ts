import { CERTIFICATES_CATEGORY, type CertificateEvent } from '#domain/operations/certificates.js';
import { byMember } from '#projections/shared/partitions.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { bindings, CERTIFICATES, holders } from './documents.js';

type Bound = Extract<CertificateEvent, { type: 'CertificateBound' }>;
type Released = Extract<CertificateEvent, { type: 'CertificateReleased' }>;

/** Bindings of certificates in force, by id and by subject. */
export const certificatesProjection = readModel<CertificateEvent>(
  {
    name: CERTIFICATES,
    version: 1,
    service: 'ops',
    categories: [CERTIFICATES_CATEGORY],
    collections: [bindings, holders],
    partitionsOf: (event) => byMember(event, { bindingId: 'certificate' }),
  },
  {
    CertificateBound: ({ data, metadata }: EventOf<Bound>) => {
      const { bindingId, projectId, userId, subject, subjectHash } = data;
      // Sealed members are `null` after the key of the user is destroyed.
      const document = { bindingId, projectId, userId, subject: subject ?? '', subjectHash, boundAt: metadata.time };
      return [bindings.put(bindingId, document), holders.put(subjectHash, { bindingId, projectId, userId })];
    },
    CertificateReleased: reading(
      ({ data }: EventOf<Released>) => ({ binding: bindings.at(data.bindingId) }),
      ({ data }, { binding }) => {
        if (!binding) throw new Error(`there is no binding ${data.bindingId}`);
        return [bindings.remove(data.bindingId), holders.remove(binding.subjectHash)];
      },
    ),
  },
);
