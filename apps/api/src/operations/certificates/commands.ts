import { randomUUID } from 'node:crypto';
import { commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { CERTIFICATES_STREAM, type CertificateBinding, certificates } from '#domain/operations/certificates.js';
import { DomainError } from '#domain/shared/decider.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries, isMember } from '#projections/messaging/accounts/queries.js';

/** `canonical`: the canonical text of `subject`. `project`, `user`: names. */
type NewBinding = Readonly<{ subject: string; canonical: string; project: string; user: string }>;

type Member = Pick<CertificateBinding, 'projectId' | 'userId'>;

/** Stands for the member in a command that is only looked up. */
const NO_MEMBER: Member = { projectId: '', userId: '' };

const toCertificates = toStreams(certificates, () => CERTIFICATES_STREAM);

/** @throws DomainError `NO_SUCH_MEMBER` */
const memberOf = async (accounts: AccountQueries, project: string, user: string): Promise<Member> => {
  const [found, known] = await Promise.all([accounts.projectNamed(project), accounts.userNamed(user)]);
  if (!found || !known || !isMember(known, found.projectId)) throw new DomainError('NO_SUCH_MEMBER');
  return { projectId: found.projectId, userId: known.userId };
};

/** Binds a certificate to a member of a messaging project. Rejects with `NO_SUCH_MEMBER`, `CERTIFICATE_BOUND`, `TOO_MANY_CERTIFICATES`. */
export class BindCertificate extends commandWith(
  [CredentialHashes, AccountQueries],
  async ({ subject, canonical, project, user }: NewBinding, { context, gateway }, hashes, accounts) => {
    const bindingTo = (member: Member) => {
      const binding = { bindingId: randomUUID(), ...member, subject, subjectHash: hashes.of(canonical) };
      return toCertificates(context, { type: 'BindCertificate', binding });
    };
    const check = () => memberOf(accounts, project, user);
    const { events, readable } = await gateway.executeAfter(bindingTo(NO_MEMBER), check, (member) => gateway.execute(bindingTo(member)));
    const { data, metadata } = eventOf(events, 'CertificateBound');
    return { id: data.bindingId, boundAt: metadata.time, readable };
  },
) {}

/** Releases a certificate, which gives no token any more. Rejects with `CERTIFICATE_NOT_FOUND`. */
export class ReleaseCertificate extends commandWith([], ({ bindingId }: Readonly<{ bindingId: string }>, { context, gateway }) =>
  gateway.execute(toCertificates(context, { type: 'ReleaseCertificate', bindingId })),
) {}
