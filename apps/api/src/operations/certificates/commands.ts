import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, toStreams } from '#api/shared/commands/handlers.js';
import { CERTIFICATES_STREAM, certificates } from '#domain/operations/certificates.js';
import { DomainError } from '#domain/shared/decider.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccountQueries, isMember } from '#projections/messaging/accounts/queries.js';

/** `canonical`: the canonical text of `subject`. `project`, `user`: names. */
type NewBinding = Readonly<{ subject: string; canonical: string; project: string; user: string }>;

/** Binds a certificate to a member of a messaging project. Rejects with `NO_SUCH_MEMBER`, `CERTIFICATE_BOUND`, `TOO_MANY_CERTIFICATES`. */
export class BindCertificate extends CommandWith<NewBinding, Readonly<{ id: string; boundAt: string }>> {}

/** Releases a certificate, which gives no token any more. Rejects with `CERTIFICATE_NOT_FOUND`. */
export class ReleaseCertificate extends CommandWith<Readonly<{ bindingId: string }>, void> {}

const toCertificates = toStreams(certificates, () => CERTIFICATES_STREAM);

/** @throws DomainError `NO_SUCH_MEMBER` */
const memberOf = async (accounts: AccountQueries, project: string, user: string) => {
  const [found, known] = await Promise.all([accounts.projectNamed(project), accounts.userNamed(user)]);
  if (!found || !known || !isMember(known, found.projectId)) throw new DomainError('NO_SUCH_MEMBER');
  return { projectId: found.projectId, userId: known.userId };
};

export const certificateHandlers: readonly Provider[] = [
  handles(
    BindCertificate,
    [CommandGateway, CredentialHashes, AccountQueries],
    async ({ context, data: { subject, canonical, project, user } }, gateway, hashes, accounts) => {
      const member = await memberOf(accounts, project, user);
      const binding = { bindingId: randomUUID(), ...member, subject, subjectHash: hashes.of(canonical) };
      const { events } = await gateway.execute(toCertificates(context, { type: 'BindCertificate', binding }));
      const { data, metadata } = eventOf(events, 'CertificateBound');
      return { id: data.bindingId, boundAt: metadata.time };
    },
  ),

  handles(ReleaseCertificate, [CommandGateway], async ({ context, data: { bindingId } }, gateway) => {
    await gateway.execute(toCertificates(context, { type: 'ReleaseCertificate', bindingId }));
  }),
];
