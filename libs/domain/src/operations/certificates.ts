import { userSubject } from '#domain/messaging/accounts/account-events.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

/**
 * A certificate whose holder is a user of a messaging project. `subject`: its distinguished name as the operator wrote it, sealed with the user's key;
 * `subjectHash`: the hash of its canonical text, by which it is looked up.
 */
export type CertificateBinding = Readonly<{ bindingId: string; projectId: string; userId: string; subject: string; subjectHash: string }>;

export type CertificateEvent =
  | Readonly<{ type: 'CertificateBound'; data: CertificateBinding }>
  | Readonly<{ type: 'CertificateReleased'; data: Readonly<{ bindingId: string }> }>;

type CertificateCommand =
  | Readonly<{ type: 'BindCertificate'; binding: CertificateBinding }>
  | Readonly<{ type: 'ReleaseCertificate'; bindingId: string }>;

/** Hashes of the subjects of active bindings, by binding id. */
type CertificatesState = Readonly<{ subjects: Map<string, string> }>;

/** Maximum number of active bindings, because one list holds them all. */
export const MOST_CERTIFICATES = 5_000;

export const CERTIFICATES_CATEGORY = 'ops.certificates';
/** One stream, because a subject must be unique across all bindings. */
export const CERTIFICATES_STREAM = `${CERTIFICATES_CATEGORY}-global`;

export const certificateEvents: CatalogueOf<CertificateEvent> = {
  CertificateBound: {
    resource: none,
    sensitive: { subject: ({ userId }) => userSubject(userId), members: ['subject'] },
    marks: { subject: 'personal', subjectHash: 'hash' },
  },
  CertificateReleased: { resource: none },
};

/** Rejects with `CERTIFICATE_BOUND`, `TOO_MANY_CERTIFICATES` and `CERTIFICATE_NOT_FOUND`. */
export const certificates: Decider<CertificatesState, CertificateCommand, CertificateEvent> = {
  snapshots: { name: 'certificates', version: 1 },
  initialState: () => ({ subjects: new Map() }),
  decide: (command, { subjects }) => {
    if (command.type === 'ReleaseCertificate') {
      const { bindingId } = command;
      if (!subjects.has(bindingId)) throw new DomainError('CERTIFICATE_NOT_FOUND');
      return [{ type: 'CertificateReleased', data: { bindingId } }];
    }
    const { bindingId, projectId, userId, subject, subjectHash } = command.binding;
    const [holder] = [...subjects].find(([, bound]) => bound === subjectHash) ?? [];
    if (holder !== undefined) throw new DomainError('CERTIFICATE_BOUND', { bindingId: holder });
    if (subjects.size >= MOST_CERTIFICATES) throw new DomainError('TOO_MANY_CERTIFICATES');
    return [{ type: 'CertificateBound', data: { bindingId, projectId, userId, subject, subjectHash } }];
  },
  evolve: (state, { type, data }) => {
    if (type === 'CertificateBound') state.subjects.set(data.bindingId, data.subjectHash);
    else state.subjects.delete(data.bindingId);
    return state;
  },
};
