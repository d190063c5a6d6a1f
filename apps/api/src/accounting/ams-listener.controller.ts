import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { InstallationWriter } from '#api/accounting/catalogue/installation-writer.js';
import { type Infer, readBody } from '#api/shared/bodies/body-shape.js';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { CLOCK } from '#api/shared/tokens.js';
import { CATALOGUE_STREAM, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import type { ProjectDocument } from '#projections/accounting/catalogue/catalogue-documents.js';
import { bodyFrom, members, present, required, text } from './bodies.js';
import { orNull } from './changes.js';
import * as errors from './errors.js';
import { AccountingRoute } from './http-policy.js';
import { newObjectId, sendMessage } from './responses.js';

export type ListenerConfiguration = Readonly<{ projectId: string; verificationHash: string | undefined }>;
/** Injection token. */
export const LISTENER_CONFIGURATION = Symbol('ListenerConfiguration');

const pushBody = members({ message: members({ data: text, messageId: text }), subscription: text });
const noticeBody = members({
  status: text,
  provider: members({ id: text, name: text, abbreviation: text, logo: text, website: text }),
  service: members({ id: text, name: text, resourceOrganisation: text }),
});
type Notice = Infer<typeof noticeBody>;

type Taker = (notice: Notice, project: ProjectDocument, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Of everything that comes this way. */
const CREATOR = 'from-ams';

/** Providers and installations that a catalogue announces through the messaging service (accounting contract 3.14). */
@ApiTags('accounting: push listener')
@Controller()
export class AmsListenerController {
  constructor(
    private readonly commands: CommandBus,
    private readonly reader: CatalogueReader,
    private readonly installations: InstallationWriter,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LISTENER_CONFIGURATION) private readonly configuration: ListenerConfiguration,
  ) {}

  @Get('ams_verification_hash')
  @ApiOperation({ summary: 'What the messaging service asks for before it pushes' })
  verificationHash(@Res() reply: FastifyReply): void {
    const { verificationHash } = this.configuration;
    reply
      .code(verificationHash === undefined ? 404 : 200)
      .type('text/plain; charset=utf-8')
      .send(verificationHash ?? '');
  }

  @Post('accounting-system/ams-listener')
  @HttpCode(200)
  @AccountingRoute({ access: 'listener', body: 'record' })
  @ApiOperation({ summary: 'Takes a pushed message about an approved provider or resource; a repeated one changes nothing' })
  @ApiBody({ schema: pushBody.schema })
  async listen(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { message } = present(bodyFrom(request, pushBody));
    const notice = readBody(noticeBody, Buffer.from(message.data ?? '', 'base64'));
    const take = this.takerOf(notice.status);
    if (take) await take(notice, await this.project(), request, reply);
    sendMessage(reply, take ? 'AMS message has been successfully consumed' : refusal(notice.status));
  }

  private takerOf(status: string | null): Taker | undefined {
    if (status === 'approved provider') return this.takeProvider;
    return status === 'approved resource' ? this.takeResource : undefined;
  }

  private readonly takeProvider: Taker = async ({ provider }, project, request, reply) => {
    const externalId = required(provider.id, 'id');
    const known = await this.reader.findProviderByExternalId(externalId);
    const providerId = known?.id ?? newObjectId(this.clock);
    if (!known) {
      const { website, abbreviation, logo } = provider;
      const values = { website: orNull(website), abbreviation: orNull(abbreviation), logo: orNull(logo) };
      const registration = { providerId, externalId, creatorId: CREATOR, name: required(provider.name, 'name'), ...values };
      const command = { type: 'RegisterProvider', provider: registration } as const;
      await this.commands.execute(new StreamWrite(CATALOGUE_STREAM, catalogue, command, this.context(request)));
    }
    const { id: projectId, generation } = project;
    if (await this.reader.isAssociated(providerId, projectId)) return;
    const command = { type: 'AssociateProvider', projectId, generation, providerId } as const;
    const write = new StreamWrite(projectStream(projectId), projectContents, command, this.context(request));
    noteReadability(reply, (await this.commands.execute(write)).readable);
  };

  private readonly takeResource: Taker = async ({ service }, project, request, reply) => {
    const externalId = required(service.id, 'id');
    const infrastructure = required(service.name, 'name');
    const organisation = required(service.resourceOrganisation, 'resourceOrganisation');
    const provider = await this.reader.findProviderByExternalId(organisation);
    if (!provider) throw errors.externalProviderNotFound(organisation);
    if (await this.reader.findInstallationByExternalId(externalId)) return;
    const content = { organisation: provider.id, infrastructure, installation: externalId, resource: null, unitOfAccess: null };
    const { id: projectId, generation } = project;
    await this.installations.store(this.context(request), reply, { projectId, generation, externalId, content, creatorId: CREATOR });
  };

  private async project(): Promise<ProjectDocument> {
    const { projectId } = this.configuration;
    const project = await this.reader.findProject(projectId);
    if (project) return project;
    throw new errors.AccountingError(500, `There is no Project with id : ${projectId} to which the AMS messages can be associated.`);
  }

  private context(request: FastifyRequest): CommandContext {
    return contextOf(request, 'accounting', { kind: 'system', id: CREATOR }, this.clock);
  }
}

const refusal = (status: string | null): string =>
  status ? `Unknown service catalogue status : ${status}` : 'Service catalogue message status is empty.';
