import { Injectable } from '@nestjs/common';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import type { ProjectEvent } from '#domain/accounting/catalogue/catalogue-events.js';
import type { ProjectCommand } from '#domain/accounting/projects/project-rules.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { toCatalogue, toProject } from './stream-commands.js';

/** A project, and the number of its registration. */
type ProjectPlace = Readonly<{ projectId: string; generation: number }>;

/** Records in other streams are void once their project is deleted. So after a write the project is checked in the log. */
@Injectable()
export class ProjectStreams {
  constructor(private readonly gateway: CommandGateway) {}

  /** @throws DomainError `PROJECT_NOT_FOUND` if the project was deleted meanwhile; then the write is void */
  async execute(context: CommandContext, command: Extract<ProjectCommand, ProjectPlace>): Promise<Outcome<ProjectEvent>> {
    const outcome = await this.gateway.execute(toProject(context, command));
    await this.require(context, command);
    return outcome;
  }

  /** Reads the log, not the read models. @throws DomainError `PROJECT_NOT_FOUND` */
  async require(context: CommandContext, { projectId, generation }: ProjectPlace): Promise<void> {
    await this.gateway.execute(toCatalogue(withoutKey(context), { type: 'RequireProject', projectId, generation }), false);
  }
}
