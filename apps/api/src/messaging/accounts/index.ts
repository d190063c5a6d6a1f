import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { memberCommandHandlers } from './member-commands.js';
import { MembersController } from './members.controller.js';
import { projectCommandHandlers } from './project-commands.js';
import { ProjectsController } from './projects.controller.js';
import { registrationCommandHandlers } from './registration-commands.js';
import { RegistrationsController } from './registrations.controller.js';
import { userCommandHandlers } from './user-commands.js';
import { UserPresenter } from './user-presenter.js';
import { UsersController } from './users.controller.js';

export const accountControllers: readonly Type[] = [MembersController, ProjectsController, RegistrationsController, UsersController];

export const accountProviders: readonly Provider[] = [
  queriesProvider(AccountQueries),
  UserPresenter,
  ...memberCommandHandlers,
  ...projectCommandHandlers,
  ...registrationCommandHandlers,
  ...userCommandHandlers,
];
