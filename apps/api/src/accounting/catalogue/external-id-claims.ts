import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import {
  type ExternalIdEvent,
  type ExternalIdHolder,
  externalIdStream,
  projectStream,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { type ExternalIdCommand, externalIds } from '#domain/accounting/catalogue/external-id-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CatalogueReader } from './catalogue-reader.js';

/** After this long a claim without installation counts as abandoned: whoever made it has failed between the two. */
const ABANDONED_MS = 60_000;

type Claim = ExternalIdHolder & Readonly<{ claimedAt: string }>;

/**
 * External ids of installations are unique over all projects: claimed before an installation is created, released after it was deleted or
 * could not be created. Claims of deleted projects, and those that nobody came to use, are taken over.
 */
@Injectable()
export class ExternalIdClaims {
  constructor(
    private readonly commands: CommandBus,
    private readonly reader: CatalogueReader,
  ) {}

  /** Whether the installation may have the external id: false when another has it. */
  async claim(externalId: string, holder: ExternalIdHolder, context: CommandContext): Promise<boolean> {
    const command = { type: 'ClaimExternalId', externalId, holder, now: context.time } as const;
    const known = await this.attempt(command, context);
    if (!known) return true;
    if (!(await this.isAbandoned(known, context))) return false;
    return !(await this.attempt({ ...command, abandonedBy: known.installationId }, context));
  }

  /** Of any other installation than the holder it changes nothing. */
  async release(externalId: string, installationId: string, context: CommandContext): Promise<void> {
    await this.write({ type: 'ReleaseExternalId', externalId, installationId }, context);
  }

  /** The claim in the way; nothing when there was none. */
  private async attempt(command: ExternalIdCommand, context: CommandContext): Promise<Claim | undefined> {
    try {
      await this.write(command, context);
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'EXTERNAL_ID_TAKEN') return error.details as Claim;
      throw error;
    }
  }

  private async isAbandoned({ projectId, generation, installationId, claimedAt }: Claim, context: CommandContext): Promise<boolean> {
    const project = await this.reader.findProject(projectId);
    if (!project || project.generation > generation) return true;
    if (Date.parse(context.time) - Date.parse(claimedAt) < ABANDONED_MS) return false;
    const command = { type: 'RequireInstallation', projectId, generation, installationId } as const;
    try {
      await this.commands.execute(new StreamWrite(projectStream(projectId), projectContents, command, withoutKey(context)));
      return false;
    } catch (error) {
      if (error instanceof DomainError) return true;
      throw error;
    }
  }

  private async write(command: ExternalIdCommand, context: CommandContext): Promise<readonly ExternalIdEvent[]> {
    const stream = externalIdStream(command.externalId);
    const { events } = await this.commands.execute(new StreamWrite(stream, externalIds, command, withoutKey(context)));
    return events;
  }
}

/** The key of a request counts in the stream of the project: a claim is made anew each time. */
const withoutKey = ({ idempotency: _, ...context }: CommandContext): CommandContext => context;
