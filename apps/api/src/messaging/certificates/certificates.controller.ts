import { json } from '#api/messaging/answers/answers.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { withVerb } from '#api/messaging/names.js';
import { TOKEN } from '#api/messaging/openapi/components.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { Get, MessagingController } from '#api/messaging/route.js';
import type { Answer } from '#api/shared/http/answer.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { clientCertificateOf } from '#api/shared/http/tls/client-certificates.js';
import { shows } from '#api/shared/openapi/described.js';
import { slashForm } from '#domain/operations/distinguished-names.js';
import { j1 } from '#projections/messaging/layout.js';
import { CertificateTokens } from './certificate-tokens.js';

/** A token for a client certificate, as argo-ams-library asks for it (messaging contract 7.7). */
@MessagingController('v1/service-types/ams/hosts', 'messaging: users')
export class CertificatesController {
  constructor(private readonly tokens: CertificateTokens) {}

  @Get(withVerb('host', 'authx509'), {
    id: 'getTokenByCertificate',
    summary: 'The token of the user to whom the client certificate is bound',
    description: 'Answered at `LOGBOOK_X509_PORT`, which asks for client certificates; elsewhere it is 401. Any host name is taken.',
    who: 'anyone',
    anyVariables: true,
    errors: [
      errors.noClientCertificate(),
      errors.clientCertificateRefused('it has expired'),
      errors.certificateNotBound('/C=UK/CN=ce.example.org'),
    ],
    answers: shows({ token: TOKEN }, { token: '4affb0cb75032261a4b3b1e5f5b6e3aa4ff5d3f5d3a4c7a1b0e4b9d8c7f6e5d4' }),
  })
  async token(@Call() { request }: MessagingCall): Promise<Answer> {
    const certificate = clientCertificateOf(request.raw);
    if (!certificate) throw errors.noClientCertificate();
    if (certificate.refusal !== undefined) throw errors.clientCertificateRefused(certificate.refusal);
    const user = found(await this.tokens.userOf(certificate.subject), () => errors.certificateNotBound(slashForm(certificate.subject)));
    const token = await this.tokens.tokenOf(user, contextOf(request, 'messaging', { kind: 'user', id: user.userId }));
    return json(j1({ token }));
  }
}
