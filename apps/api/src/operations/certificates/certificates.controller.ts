import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CERTIFICATE_BINDING, CERTIFICATE_BINDINGS } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import { Delete, Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { membersOf, text } from '#api/ops-kit/strict-members.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { canonicalName, LONGEST_NAME } from '#domain/operations/distinguished-names.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { CERTIFICATES, CertificateQueries } from '#projections/operations/certificates/queries.js';
import { BindCertificate, ReleaseCertificate } from './commands.js';

/** Names of messaging projects and users have no separate limit; no real one is longer. */
const LONGEST_MESSAGING_NAME = 1_000;

class BindingBody extends membersOf({
  subject: text(LONGEST_NAME, {
    description:
      'distinguished name of the certificate, as RFC 2253 has it (the most specific part first) or with slashes (the root first)',
    example: '/C=UK/O=eScience/OU=Site/CN=ce.example.org',
  }),
  project: text(LONGEST_MESSAGING_NAME, { description: 'name of a messaging project', example: 'accounting' }),
  user: text(LONGEST_MESSAGING_NAME, { description: 'name of a user who is a member of it', example: 'site-publisher' }),
}) {}

/** Certificates that give tokens of messaging users (operations contract 1). */
@OpsController('ops/certificates', 'operations')
export class CertificatesController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CertificateQueries,
    private readonly accounts: AccountQueries,
    private readonly completeness: Completeness,
    private readonly reads: ReadTrail,
  ) {}

  @Get('', {
    id: 'listCertificates',
    summary: 'Certificates that are bound to messaging users, the oldest first',
    description: 'Subjects are personal data, so the read is recorded.',
    answers: { 200: CERTIFICATE_BINDINGS },
  })
  async list(@Call() { context }: OpsCall): Promise<Answered<typeof CERTIFICATE_BINDINGS>> {
    await this.completeness.require(CERTIFICATES);
    const bound = await this.queries.all();
    if (bound.some(({ subject }) => subject !== ''))
      await this.reads.record({ type: 'PersonalDataRead', data: { path: '/ops/certificates', query: {} } }, context);
    const [projects, users] = await Promise.all([
      this.accounts.projects(bound.map(({ projectId }) => projectId)),
      this.accounts.namesOf(bound.map(({ userId }) => userId)),
    ]);
    return {
      items: bound.map(({ bindingId: id, subject, userId, boundAt }, index) => ({
        id,
        subject: subject === '' ? null : subject,
        project: projects[index]?.name ?? null,
        user: users.get(userId) ?? null,
        boundAt,
      })),
    };
  }

  @Post('', {
    id: 'bindCertificate',
    summary: 'Binds a certificate to a member of a messaging project, whose token it gives from now on',
    who: OPERATOR,
    limit: 'form',
    answers: { 201: CERTIFICATE_BINDING },
  })
  async bind(
    @Call() { context, reply }: OpsCall,
    @StrictBody(BindingBody) { subject, project, user }: BindingBody,
  ): Promise<Answered<typeof CERTIFICATE_BINDING>> {
    const canonical = canonicalName(subject);
    if (canonical === undefined)
      throw new Problem(400, 'the certificate cannot be bound', [
        {
          member: 'subject',
          detail: 'must be a distinguished name such as CN=ce.example.org,O=eScience,C=UK or /C=UK/O=eScience/CN=ce.example.org',
        },
      ]);
    const { id, boundAt, readable } = await this.bus.execute(new BindCertificate(context, { subject, canonical, project, user }));
    noteReadability(reply, readable);
    return { id, subject, project, user, boundAt };
  }

  @Delete(':id', {
    id: 'releaseCertificate',
    summary: 'Ends a binding at once; tokens that were given before stay valid until they are refreshed',
    who: OPERATOR,
    answers: { 204: { description: 'released' } },
  })
  async release(@Call() { context, reply }: OpsCall, @Param() { id }: Readonly<{ id: string }>): Promise<void> {
    const { readable } = await this.bus.execute(new ReleaseCertificate(context, { bindingId: id }));
    noteReadability(reply, readable);
  }
}
