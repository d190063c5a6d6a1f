import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { applicationModule } from '#api/hosting/app.js';
import { toAccounts } from '#api/messaging/accounts/account-commands.js';
import { openRuntime } from '#api/runtime/runtime.js';
import { projections } from '#api/runtime/vocabulary.js';
import type { Actor, Position, ServiceName } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { embedded } from './deployments.js';
import { LONGEST_MS } from './eventually.js';

/** Logbook without HTTP: all modules on embedded stores in a directory of their own. For specs of command handlers. */
export type Application = Readonly<{
  execute<Result>(command: Command<Result>): Promise<Result>;
  get<Provider>(token: Type<Provider> | string | symbol): Provider;
  close(): Promise<void>;
}>;

export const openApplication = async (environment: Readonly<Record<string, string>> = {}): Promise<Application> => {
  const deployment = await embedded();
  const configuration = loadConfiguration({ ...deployment.environment, LOGBOOK_LOG_LEVEL: 'error', ...environment });
  const runtime = await openRuntime(configuration);
  await runtime.eventStore.open();
  runtime.readModels.start();
  const { readModels } = runtime;
  const applied = readModels.applied.bind(readModels);
  // Commands wait for their read models as long as a test does.
  Object.assign(readModels, { applied: (category: string, position: Position) => applied(category, position, LONGEST_MS) });
  // For as long as it takes: `examined` has a limit, and ends when it is known that documents must not be read yet.
  await Promise.all(projections.map(({ name }) => readModels.readGate(name)?.opened));
  const context = await NestFactory.createApplicationContext(
    applicationModule(runtime, () => 'http://localhost'),
    { logger: false, abortOnError: false },
  );
  await context.init();
  const bus = context.get(CommandBus);
  return {
    execute: (command) => bus.execute(command),
    get: (token) => context.get(token, { strict: false }),
    close: async () => {
      await context.close();
      await runtime.close();
      await deployment.dispose();
    },
  };
};

/** What surrounds a command of a user, each call with a request id of its own. */
export const contextFor = (service: ServiceName, actor: Actor = { kind: 'user', id: 'spec' }): CommandContext => {
  const requestId = crypto.randomUUID();
  return {
    time: new Date().toISOString(),
    actor,
    service,
    requestId,
    correlationId: requestId,
    causationId: requestId,
  };
};

/** Creates a messaging project with this id, which is its name, too. */
export const addProject = async ({ get }: Application, projectId = 'p'): Promise<void> => {
  const command = { type: 'CreateProject', projectId, name: projectId, description: '', by: null } as const;
  await get(StreamProcessor).execute(toAccounts(contextFor('messaging'), command));
};
