import { Controller, Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { says } from '#api/accounting/openapi/envelopes.js';
import { Get, Post } from '#api/accounting/route.js';
import { due, type Infer, readBody } from '#api/shared/bodies/body-shape.js';
import { Answer } from '#api/shared/http/answer.js';
import { parameter } from '#api/shared/http/parameters.js';
import { Credentials } from '#api/shared/openapi/security.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { doc } from '#domain/shared/shape.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { done, message } from '../answers.js';
import { bodyFrom, members, present, recordOf, required, text } from '../bodies.js';
import { orNull } from '../changes.js';
import * as errors from '../errors.js';
import { ListenerContext } from '../parameters.js';
import { type AnnouncedProvider, TakeAnnouncedInstallation, TakeAnnouncedProvider } from './ams-commands.js';
import { LISTENER_CONFIGURATION, type ListenerConfiguration } from './listener-configuration.js';

const CONSUMED = 'AMS message has been successfully consumed';

const pushBody = recordOf('AccountingPushedMessage', {
  message: due(members({ data: due(text, doc('base64', 'a JSON object with `status` and what it is about')), messageId: text })),
  subscription: text,
});
const noticeBody = members({
  status: text,
  provider: members({ id: text, name: text, abbreviation: text, logo: text, website: text }),
  service: members({ id: text, name: text, resourceOrganisation: text }),
});
type Notice = Infer<typeof noticeBody>;

const Pushed = parameter((request) => bodyFrom(request, pushBody));

/** @throws AccountingError 400 */
const announcedProvider = ({ provider: { id, name, website, abbreviation, logo } }: Notice): AnnouncedProvider => ({
  externalId: required(id, 'id'),
  name,
  website: orNull(website),
  abbreviation: orNull(abbreviation),
  logo: orNull(logo),
});

/** @throws AccountingError 400 */
const announcedInstallation = ({ service }: Notice): TakeAnnouncedInstallation['data']['installation'] => ({
  externalId: required(service.id, 'id'),
  infrastructure: required(service.name, 'name'),
  organisation: required(service.resourceOrganisation, 'resourceOrganisation'),
});

const refusal = (status: string | null): string =>
  status ? `Unknown service catalogue status : ${status}` : 'Service catalogue message status is empty.';

/** `{"status": "approved provider", "provider": {"id": "ext-1", "name": "Site B", …}}` */
const PUSHED =
  'eyJzdGF0dXMiOiAiYXBwcm92ZWQgcHJvdmlkZXIiLCAicHJvdmlkZXIiOiB7ImlkIjogImV4dC0xIiwgIm5hbWUiOiAiU2l0ZSBCIiwgImFiYnJldmlhdGlvbiI6ICJTQiIsICJ3ZWJzaXRlIjogImh0dHBzOi8vc2l0ZS1iLmV4YW1wbGUub3JnIn19';

/** Providers and installations that a catalogue announces through the messaging service (accounting contract 3.14). */
@ApiTags('accounting: push listener')
@Credentials('listener-secret')
@Controller()
export class AmsListenerController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    @Inject(LISTENER_CONFIGURATION) private readonly configuration: ListenerConfiguration,
  ) {}

  @Get('ams_verification_hash', {
    id: 'getVerificationHash',
    summary: 'What the messaging service asks for before it pushes',
    answers: { 200: { type: 'text/plain', example: '8d2e4f3b9a510c7d5e2b1f60' }, 404: { description: 'there is no hash' } },
  })
  verificationHash(): Answer {
    const { verificationHash } = this.configuration;
    const status = verificationHash === undefined ? 404 : 200;
    return new Answer(verificationHash ?? '', { status, type: 'text/plain; charset=utf-8' });
  }

  @Post('accounting-system/ams-listener', {
    id: 'receivePushedMessage',
    summary: 'Takes a pushed message about an approved provider or resource; a repeated one changes nothing',
    access: 'listener',
    limit: 'record',
    repeatable: false,
    body: pushBody,
    example: { message: { data: PUSHED, messageId: '1' }, subscription: 'projects/catalogue/subscriptions/accounting' },
    errors: [errors.externalProviderNotFound('external-1'), errors.missing('id'), errors.noListenerSecret()],
    answers: says(CONSUMED),
  })
  async listen(@Pushed() given: Infer<typeof pushBody> | undefined, @ListenerContext() context: CommandContext): Promise<Answer> {
    const { message: pushed } = present(given);
    const notice = readBody(noticeBody, Buffer.from(pushed.data ?? '', 'base64'));
    const take = this.commandFor(notice, context);
    if (!take) return message(refusal(notice.status));
    return done(CONSUMED, this.bus.execute(take(await this.project())));
  }

  /** `undefined` if the status is not handled. */
  private commandFor(notice: Notice, context: CommandContext) {
    switch (notice.status) {
      case 'approved provider':
        return (project: ProjectDocument) => new TakeAnnouncedProvider(context, { project, provider: announcedProvider(notice) });
      case 'approved resource':
        return (project: ProjectDocument) =>
          new TakeAnnouncedInstallation(context, { project, installation: announcedInstallation(notice) });
      default:
        return undefined;
    }
  }

  private async project(): Promise<ProjectDocument> {
    const { projectId } = this.configuration;
    const project = await this.queries.project(projectId);
    if (project) return project;
    throw new errors.AccountingError(500, `There is no Project with id : ${projectId} to which the AMS messages can be associated.`);
  }
}
