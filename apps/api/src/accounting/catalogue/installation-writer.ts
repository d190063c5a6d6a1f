import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN, requireProvider } from '#api/accounting/access/permissions.js';
import { members, present, required, text } from '#api/accounting/bodies.js';
import { changesIn, orNull } from '#api/accounting/changes.js';
import { accountingCaller } from '#api/accounting/http-policy.js';
import { UsageLookup } from '#api/accounting/metrics/usage-lookup.js';
import { ReferenceGate, type Target, target } from '#api/accounting/reference-gate.js';
import { newObjectId } from '#api/accounting/responses.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { isOutage } from '#api/shared/http/failures.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { type Installation, type ProjectEvent, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type ProjectCommand, projectContents } from '#domain/accounting/projects/project-rules.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import type { InstallationContent, InstallationDocument } from '#projections/accounting/catalogue/catalogue-documents.js';
import { CatalogueReader } from './catalogue-reader.js';
import { ExternalIdClaims } from './external-id-claims.js';

export const newInstallationBody = members({
  project: text,
  organisation: text,
  infrastructure: text,
  installation: text,
  resource: text,
  unit_of_access: text,
  external_id: text,
});
export const installationChangesBody = members({
  organisation: text,
  infrastructure: text,
  installation: text,
  resource: text,
  unit_of_access: text,
});

/** A new installation, whoever creates it. */
export type NewInstallation = Readonly<{
  projectId: string;
  generation: number;
  externalId: string;
  content: Installation;
  creatorId: string;
}>;

/** What changes installations: every check in the order of accounting contract 3.1, and the claims on their external ids. */
@Injectable()
export class InstallationWriter {
  constructor(
    private readonly commands: CommandBus,
    private readonly writer: AccountingWriter,
    private readonly reader: CatalogueReader,
    private readonly claims: ExternalIdClaims,
    private readonly usage: UsageLookup,
    private readonly gate: ReferenceGate,
  ) {}

  async create(
    request: FastifyRequest,
    reply: FastifyReply,
    given: Infer<typeof newInstallationBody> | undefined,
  ): Promise<InstallationContent> {
    const body = present(given);
    const projectId = required(body.project, 'project');
    const organisation = required(body.organisation, 'organisation');
    const infrastructure = required(body.infrastructure, 'infrastructure');
    const installation = required(body.installation, 'installation');
    return this.gate.referring(partsIn(body), async () => {
      const unitOfAccess = await this.definitionId(body.unit_of_access);
      const { generation } = await this.reader.project(projectId);
      const { id: providerId } = await this.reader.provider(organisation);
      const caller = accountingCaller(request);
      requireProvider(caller, ADMIN, projectId, providerId);
      const content = { organisation: providerId, infrastructure, installation, resource: orNull(body.resource), unitOfAccess };
      const externalId = body.external_id || randomUUID();
      return this.store(this.writer.context(request), reply, { projectId, generation, externalId, content, creatorId: caller.id });
    });
  }

  /** Rejects with what is wrong about its place among the others of its project. @throws DomainError */
  async store(context: CommandContext, reply: FastifyReply, created: NewInstallation): Promise<InstallationContent> {
    const { projectId, generation, externalId, content, creatorId } = created;
    const installationId = newObjectId(this.writer.clock);
    const resourceMissing = content.resource !== null && !(await this.reader.hasResource(content.resource));
    const claimed = await this.claims.claim(externalId, { projectId, generation, installationId }, context);
    const release = async (): Promise<void> => {
      if (claimed) await this.claims.release(externalId, installationId, context);
    };
    const command = { type: 'CreateInstallation', projectId, generation, installationId, externalId, creatorId, content } as const;
    const events = await this.write(context, reply, { ...command, resourceMissing, externalIdTaken: !claimed }).catch(async (error) => {
      if (!isOutage(error)) await release(); // after an outage the installation may be there: its claim stays
      throw error;
    });
    const [event] = events;
    if (event?.type !== 'InstallationCreated') throw new Error('a creation made no event');
    if (event.data.installationId !== installationId) await release(); // the Idempotency-Key had created it before
    const { data } = event;
    return { id: data.installationId, project: data.projectId, external_id: data.externalId, ...documentOf(data) };
  }

  async revise(
    request: FastifyRequest,
    reply: FastifyReply,
    before: InstallationDocument,
    given: Infer<typeof installationChangesBody> | undefined,
  ): Promise<InstallationDocument> {
    const body = present(given);
    return this.gate.removing(target('installation', before.id), () => this.reviseFree(request, reply, before, body), partsIn(body));
  }

  private async reviseFree(
    request: FastifyRequest,
    reply: FastifyReply,
    before: InstallationDocument,
    { unit_of_access, ...body }: Infer<typeof installationChangesBody>,
  ): Promise<InstallationDocument> {
    const unitOfAccess = await this.definitionId(unit_of_access);
    const changes = changesIn(body);
    const { organisation, resource } = changes;
    const [measured, provider, hasResource] = await Promise.all([
      this.usage.ofInstallation(before),
      organisation === undefined ? undefined : this.reader.findProviderByAnyId(organisation),
      resource === undefined ? true : this.reader.hasResource(resource),
    ]);
    const [event] = await this.write(this.writer.context(request), reply, {
      type: 'ReviseInstallation',
      ...placeOf(before),
      changes: { ...changes, ...(provider ? { organisation: provider.id } : {}), ...(unitOfAccess === null ? {} : { unitOfAccess }) },
      measured,
      providerMissing: organisation !== undefined && !provider,
      resourceMissing: !hasResource,
    });
    return event?.type === 'InstallationRevised' ? { ...before, ...documentOf(event.data) } : before;
  }

  async delete(request: FastifyRequest, reply: FastifyReply, installation: InstallationDocument): Promise<void> {
    const context = this.writer.context(request);
    await this.gate.removing(target('installation', installation.id), async () => {
      const measured = await this.usage.ofInstallation(installation);
      await this.write(context, reply, { type: 'DeleteInstallation', ...placeOf(installation), measured });
    });
    await this.claims.release(installation.external_id, installation.id, context);
  }

  /** The id as it is stored; an empty one is none. @throws AccountingError 404 */
  private async definitionId(id: string | null): Promise<string | null> {
    return id ? (await this.reader.definition(id)).document.metric_definition_id : null;
  }

  private async write(context: CommandContext, reply: FastifyReply, command: ProjectCommand): Promise<readonly ProjectEvent[]> {
    const stream = projectStream(command.projectId);
    const { events, readable } = await this.commands.execute(new StreamWrite(stream, projectContents, command, context));
    noteReadability(reply, readable);
    return events;
  }
}

/** What an installation refers to besides its provider, whose association is a matter of its project. */
const partsIn = ({ unit_of_access, resource }: Readonly<{ unit_of_access: string | null; resource: string | null }>): readonly Target[] => [
  ...(unit_of_access ? [target('definition', unit_of_access)] : []),
  ...(resource ? [target('resource', resource)] : []),
];

const placeOf = ({ project, generation, id }: InstallationDocument) => ({ projectId: project, generation, installationId: id });

const documentOf = ({ organisation, infrastructure, installation, resource, unitOfAccess }: Installation) => ({
  organisation,
  infrastructure,
  installation,
  resource,
  unit_of_access: unitOfAccess,
});
