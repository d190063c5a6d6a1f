import { userSubject } from '#domain/messaging/accounts/account-events.js';
import type { CertificateBinding } from '#domain/operations/certificates.js';
import { collection } from '#projections/shared/collection.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const CERTIFICATES = 'ops.certificates';

/** A binding in force. `boundAt`: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type CertificateDocument = CertificateBinding & Readonly<{ boundAt: string }>;

/** The user whose permissions a certificate grants. */
export type CertificateHolder = Pick<CertificateBinding, 'bindingId' | 'projectId' | 'userId'>;

/** By id. */
export const bindings = collection<CertificateDocument>('bindings', {
  owner: firstPart('certificate'),
  sealed: [{ path: 'subject', subject: ({ document }) => userSubject(document.userId), mark: 'personal' }],
  marks: { subjectHash: 'hash' },
});
/** By hash of the subject. Another binding may have the same subject later. */
export const holders = collection<CertificateHolder>('by-subject', { owner: inMember('certificate', 'bindingId'), contested: true });
