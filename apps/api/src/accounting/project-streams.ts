import { Injectable } from '@nestjs/common';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import type { ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import type { ProjectCommand } from '#domain/accounting/projects/project-rules.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { toCatalogue, toProject } from './stream-commands.js';

/** A project and which registration of it. */
type ProjectPlace = Readonly<{ projectId: string; generation: number }>;

/** What belongs to a project is void once the project is deleted, in a stream of its own: who writes it looks there afterwards. */
@Injectable()
export class ProjectStreams {
  constructor(private readonly gateway: CommandGateway) {}

  /** @throws DomainError `PROJECT_NOT_FOUND` if the project was deleted in the meantime; what was written is void then */
  async execute(context: CommandContext, command: Extract<ProjectCommand, ProjectPlace>): Promise<Outcome<ProjectEvent>> {
    const outcome = await this.gateway.execute(toProject(context, command));
    await this.require(context, command);
    return outcome;
  }

  /** From the log, whatever the read models show. @throws DomainError `PROJECT_NOT_FOUND` */
  async require(context: CommandContext, { projectId, generation }: ProjectPlace): Promise<void> {
    await this.gateway.execute(toCatalogue(withoutKey(context), { type: 'RequireProject', projectId, generation }), false);
  }
}
