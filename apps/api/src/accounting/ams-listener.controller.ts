import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { type Infer, readBody } from '#api/shared/bodies/body-shape.js';
import { Answer } from '#api/shared/http/answer.js';
import { LISTENER_SECRET } from '#api/shared/openapi/security.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CatalogueQueries, type ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import { type AnnouncedProvider, TakeAnnouncedInstallation, TakeAnnouncedProvider } from './ams-commands.js';
import { message } from './answers.js';
import { members, present, required, text } from './bodies.js';
import { orNull } from './changes.js';
import * as errors from './errors.js';
import { AccountingRoute } from './http-policy.js';
import { LISTENER_CONFIGURATION, type ListenerConfiguration } from './listener-configuration.js';
import { GivenBody, ListenerContext } from './parameters.js';

const pushBody = members({ message: members({ data: text, messageId: text }), subscription: text });
const noticeBody = members({
  status: text,
  provider: members({ id: text, name: text, abbreviation: text, logo: text, website: text }),
  service: members({ id: text, name: text, resourceOrganisation: text }),
});
type Notice = Infer<typeof noticeBody>;

/** @throws AccountingError 400 */
const announcedProvider = ({ provider: { id, name, website, abbreviation, logo } }: Notice): AnnouncedProvider => ({
  externalId: required(id, 'id'),
  name,
  website: orNull(website),
  abbreviation: orNull(abbreviation),
  logo: orNull(logo),
});

/** @throws AccountingError 400 */
const announcedInstallation = ({ service }: Notice): TakeAnnouncedInstallation['installation'] => ({
  externalId: required(service.id, 'id'),
  infrastructure: required(service.name, 'name'),
  organisation: required(service.resourceOrganisation, 'resourceOrganisation'),
});

const refusal = (status: string | null): string =>
  status ? `Unknown service catalogue status : ${status}` : 'Service catalogue message status is empty.';

/** Providers and installations that a catalogue announces through the messaging service (accounting contract 3.14). */
@ApiTags('accounting: push listener')
@ApiSecurity(LISTENER_SECRET)
@Controller()
export class AmsListenerController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: CatalogueQueries,
    @Inject(LISTENER_CONFIGURATION) private readonly configuration: ListenerConfiguration,
  ) {}

  @Get('ams_verification_hash')
  @ApiOperation({ summary: 'What the messaging service asks for before it pushes' })
  verificationHash(): Answer {
    const { verificationHash } = this.configuration;
    const status = verificationHash === undefined ? 404 : 200;
    return new Answer(verificationHash ?? '', { status, type: 'text/plain; charset=utf-8' });
  }

  @Post('accounting-system/ams-listener')
  @HttpCode(200)
  @AccountingRoute({ access: 'listener', body: 'record' })
  @ApiOperation({ summary: 'Takes a pushed message about an approved provider or resource; a repeated one changes nothing' })
  @ApiBody({ schema: pushBody.schema })
  async listen(
    @GivenBody(pushBody) given: Infer<typeof pushBody> | undefined,
    @ListenerContext() context: CommandContext,
  ): Promise<Answer> {
    const { message: pushed } = present(given);
    const notice = readBody(noticeBody, Buffer.from(pushed.data ?? '', 'base64'));
    const take = this.commandFor(notice, context);
    if (!take) return message(refusal(notice.status));
    const { readable } = await this.bus.execute(take(await this.project()));
    return message('AMS message has been successfully consumed', { readable });
  }

  /** `undefined`: the status is of no interest. */
  private commandFor(notice: Notice, context: CommandContext) {
    switch (notice.status) {
      case 'approved provider':
        return (project: ProjectDocument) => new TakeAnnouncedProvider(context, project, announcedProvider(notice));
      case 'approved resource':
        return (project: ProjectDocument) => new TakeAnnouncedInstallation(context, project, announcedInstallation(notice));
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
