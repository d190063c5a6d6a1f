import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import * as memberCommands from './member-commands.js';
import { MembersController } from './members.controller.js';
import * as projectCommands from './project-commands.js';
import { ProjectsController } from './projects.controller.js';
import * as registrationCommands from './registration-commands.js';
import { RegistrationsController } from './registrations.controller.js';
import * as userCommands from './user-commands.js';
import { UserPresenter } from './user-presenter.js';
import { UserTokens } from './user-tokens.js';
import { UsersController } from './users.controller.js';

export const accountsFeature: Feature = {
  controllers: [MembersController, ProjectsController, RegistrationsController, UsersController],
  providers: [
    queriesProvider(AccountQueries),
    UserPresenter,
    UserTokens,
    ...handlersOf(memberCommands, projectCommands, registrationCommands, userCommands),
  ],
};
